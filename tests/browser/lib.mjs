// Chromium without network: every request that leaves the page is an error, and so is every message on the console.
import { chromium } from "playwright-core";
import axe from "axe-core";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export async function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** Opens a page, and collects its faults. `allowed` tells the requests that are part of it. */
export async function open(chrome, url, { allowed = (it) => it === url, ...options } = {}) {
  const context = await chrome.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`); });
  page.on("request", (request) => { if (!allowed(request.url())) faults.push(`request: ${request.url()}`); });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** Returns the violations of accessibility rules. */
export async function violations(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
}
