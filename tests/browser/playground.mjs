// The playground in a browser: errors at their places, answers in time, links, and results equal to those of the interpreter.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { browser, open, violations } from "./lib.mjs";

const [, , reducegen, folder, screenshots] = process.argv;
const server = spawn(reducegen, ["playground", folder, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
const [line] = await once(server.stdout, "data");
const url = String(line).trim();
const chrome = await browser();
const options = (more) => ({ allowed: (it) => it.startsWith(url) || it.startsWith("data:,"), ...more });

try {
  const begin = Date.now();
  const { page, faults } = await open(chrome, url, options({ viewport: { width: 1280, height: 900 } }));
  await page.waitForSelector("main section");
  assert.ok(Date.now() - begin < 2000, `the first report took ${Date.now() - begin} ms`);

  const type = async (text, n = 64) => {
    await page.fill("#n", String(n));
    await page.fill("#text", text);
    await page.waitForFunction((text) => {
      const hash = new URLSearchParams(location.hash.slice(1));
      return hash.get("spec") === text;
    }, text);
  };

  // Errors: their places, columns and help.
  await type("ty: f32, op: summ");
  assert.equal(await page.locator("#marks mark").innerText(), "summ");
  assert.match(await page.locator("#errors li").innerText(), /1:14.*sum/s);
  assert.equal(await page.locator("#app.stale").count(), 1);
  await page.locator("#errors button").click();
  assert.equal(await page.evaluate(() => getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "summ");
  await type("ty: f32, op: <img src=x onerror=alert(1)>");
  assert.equal(await page.locator("img").count(), 0);

  // 50 specifications: the state after the last step is the result.
  const operators = ["sum", "prod", "max", "min", "argmax", "argmin", "minmax", "mean", "var", "norm2"];
  const schedules = ["", ", block: 64, passes: []", ", block: 32, passes: [shuffle]", ", block: 64, passes: [sequential, shuffle]", ", block: 32, passes: [sequential, coarsen(2)]"];
  let slowest = 0;
  for (const operator of operators) {
    for (const schedule of schedules) {
      const text = `op: ${operator}, ty: f32${schedule}`;
      await type(text, 150);
      const shown = await page.evaluate(() => ({ results: globalThis.playground.document.results, final: [...globalThis.playground.finalResults()] }));
      assert.deepEqual(await page.locator("#errors li").allInnerTexts(), [], text);
      assert.deepEqual(shown.final, [[0, shown.results[0]]], text);
      // The page keeps the stage that was open; the result is that of the last one.
      await page.locator(".stages [role=tab]").last().click();
      await page.locator(".lanes select").selectOption({ index: (await page.locator(".lanes select option").count()) - 1 });
      await page.locator(".do-last").click();
      assert.equal(await page.locator(".results").innerText(), `result[0] = ${shown.results[0]}`, text);
      slowest = Math.max(slowest, Number((await page.locator("#clock").innerText()).match(/\d+/)[0]));
    }
  }
  // Segments and keys: each stored group is the one of the document; runs are refused in a sentence.
  for (const text of ["op: sum, ty: f32, segments: u32", "op: argmax, ty: f32, segments: u64", "op: max, ty: i32, by: { key: u32 }, groups: 8", "ty: f32, by: |x| (x * 2.0 + 4.0) as u32, groups: 8, map: |x| 1u64, op: sum"]) {
    await type(text, 700);
    const shown = await page.evaluate(() => ({ results: globalThis.playground.document.results, final: [...globalThis.playground.finalResults()] }));
    assert.deepEqual(await page.locator("#errors li").allInnerTexts(), [], text);
    // Of more than three blocks, three are kept.
    assert.ok(shown.final.length >= 3, `${text}: ${shown.final.length} stored groups`);
    for (const [group, result] of shown.final) if (result !== undefined) assert.equal(result, shown.results[group], `${text}: group ${group}`);
  }
  await type("op: sum, ty: f32, by: { key: u32 }, groups: runs");
  assert.match(await page.locator("#errors li").innerText(), /not runs of keys/);

  await type("op: sum, ty: f32, passes: [sequential, shuffle]", 1024);
  const answered = Number((await page.locator("#clock").innerText()).match(/\d+/)[0]);
  console.log(`slowest of 50 answers: ${slowest} ms; 1024 elements: ${answered} ms`);
  // Five times the goal of 150 ms: the machine of the tests may be slow and shared.
  assert.ok(answered < 750, `1024 elements are answered in ${answered} ms`);

  // A link carries the specification; axes have lengths.
  await type("op: sum, ty: f32, axes: i j -> i");
  await page.fill("#shape", "5 20");
  await page.waitForFunction(() => location.hash.includes("lengths=5x20"));
  const link = page.url();
  const second = await open(chrome, link, options({ viewport: { width: 390, height: 800 }, colorScheme: "dark" }));
  await second.page.waitForSelector("main section");
  assert.equal(await second.page.inputValue("#text"), "op: sum, ty: f32, axes: i j -> i");
  assert.match(await second.page.locator(".about").innerText(), /5 groups of 20 elements/);
  assert.deepEqual(await violations(second.page), []);
  assert.deepEqual(second.faults, []);
  if (screenshots) await second.page.screenshot({ path: join(screenshots, "playground-390-dark.png"), fullPage: true });

  const examples = await page.locator("#examples option").count();
  for (let at = 0; at < examples; at++) {
    const before = await page.inputValue("#text");
    await page.selectOption("#examples", String(at));
    await page.waitForFunction((before) => new URLSearchParams(location.hash.slice(1)).get("spec") !== before, before);
    assert.deepEqual(await page.locator("#errors li").allInnerTexts(), [], `example ${at}`);
  }
  await page.selectOption("#examples", "3");
  await page.waitForFunction(() => location.hash.includes("sequential"));
  assert.deepEqual(await violations(page), []);
  if (screenshots) await page.screenshot({ path: join(screenshots, "playground-1280-light.png"), fullPage: true });
  assert.deepEqual(faults, []);
} finally {
  server.kill();
  await chrome.close();
}
