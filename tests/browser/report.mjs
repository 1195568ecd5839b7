// The report in a browser: every view renders, nothing is loaded, and the rules of accessibility hold. With a folder as second
// argument, it keeps screenshots there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, open, violations } from "./lib.mjs";

const [, , reducegen, screenshots] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "report-"));

/** Writes a report, and returns its address. */
function report(name, args) {
  const file = join(folder, `${name}.html`);
  execFileSync(reducegen, [...args, "--device", "host", "-o", file], { stdio: ["ignore", "inherit", "inherit"] });
  assert.ok(statSync(file).size < 2e6, `${name} has ${statSync(file).size} bytes`);
  return `file://${file}`;
}

const REPORTS = [
  ["sum", ["report", "op: sum, ty: f32, block: 64, passes: [sequential, shuffle]", "--n", "256"]],
  ["auto", ["report", "op: sum, ty: f32"]],
  ["argmax", ["report", "op: argmax, ty: f32, passes: [sequential, coarsen(2)]", "--n", "4000"]],
  ["rows", ["report", "op: max, ty: f32, axes: i j -> i", "--shape", "i=6,j=40"]],
  ["segments", ["report", "op: sum, ty: f32, segments: u32"]],
  ["columns", ["report", "op: max, ty: f32, axes: e f -> f, segments: u32", "--shape", "e=300,f=4"]],
  ["keys", ["report", "op: sum, ty: f32, by: { key: u32 }, groups: 8"]],
  ["large", ["report", "op: sum, ty: f64", "--n", "100000"]],
  ["ladder", ["ladder", "--html"]],
];

const SIZES = [[1280, "light"], [768, "dark"], [390, "light"]];
// Each day a third of the reports, each in one size; after nine days every report had every size. All of them for screenshots and with REDUCEGEN_FULL=1.
const all = Boolean(screenshots || process.env.REDUCEGEN_FULL);
const day = Math.floor(Date.now() / 86_400_000);
const sizes = (at) => (all ? SIZES : [SIZES[(Math.floor(day / 3) + at) % SIZES.length]]);
const reports = REPORTS.filter((_, at) => all || (day + at) % 3 === 0);

const chrome = await browser();
for (const [at, [name, args]] of reports.entries()) {
  const url = report(name, args);
  for (const [width, colorScheme] of sizes(at)) {
    const { page, faults, close } = await open(chrome, url, { viewport: { width, height: 900 }, colorScheme });
    await page.waitForSelector("main section");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} at ${width}: the page scrolls sideways by ${wide}`);
    assert.deepEqual(await violations(page), [], `${name} at ${width} ${colorScheme}`);
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    assert.deepEqual(faults, [], `${name} at ${width}`);
    await close();
  }
}

const { page, faults } = await open(chrome, report(...REPORTS[0]), { viewport: { width: 1280, height: 900 } });
// The tabs: by mouse and by keys.
const stages = page.getByRole("tablist", { name: "stages" });
await stages.getByRole("tab", { name: "naive" }).click();
assert.match(await page.locator(".what").innerText(), /naive/);
await page.keyboard.press("ArrowRight");
assert.match(await page.locator(".what").innerText(), /sequential/);
await page.keyboard.press("End");
assert.equal(await stages.getByRole("tab", { selected: true }).innerText(), "shuffle");
assert.ok((await page.locator(".code .new").count()) > 0, "the difference has new lines");

// The steps: buttons, keys, slider, and the line of CUDA and back.
const clock = page.locator(".clock");
const now = async () => Number((await clock.innerText()).match(/step (\d+)/)[1]);
await page.locator(".do-forward").click();
assert.equal(await now(), 2);
await page.locator(".lanes .scroll").focus();
await page.keyboard.press("ArrowLeft");
assert.equal(await now(), 1);
const shuffle = page.locator(".lanes .line", { hasText: "__shfl_down_sync(0xffffffff" }).or(page.locator(".lanes .line", { hasText: "shuffle" })).locator("button.ln").first();
await shuffle.click();
const at = await now();
assert.ok(at > 1, "the line leads to its step");
assert.ok((await page.locator(".lanes .line.now button.ln").count()) > 0, "the step marks its line");
await shuffle.click();
assert.ok((await now()) > at, "a second click leads to the next step of the line");
assert.ok((await page.locator(".arrow").count()) > 0, "arrows show the moves");
await page.locator(".do-last").click();
await page.locator(".lanes select").selectOption({ index: (await page.locator(".lanes select option").count()) - 1 });
await page.locator(".do-last").click();
const result = await page.locator(".result").innerText();
assert.equal(await page.locator(".results").innerText(), `result[0] = ${result}`);

// The way of an element, and the bytes of a request.
await page.getByLabel("way of element").fill("17");
assert.match(await page.locator(".way summary").innerText(), /element 17 passes through/);
await page.locator("#memory table button").first().click();
assert.ok((await page.locator("#memory .word.used").count()) > 0);
// Segments and keys: the kernel that reads the elements is chosen, and a row shows the group of each element that a lane has read.
for (const [name, word, kernel] of [["segments", "segment", /reduce_segments/], ["keys", "group", /reduce_keys/]]) {
  const cut = await open(chrome, report(...REPORTS.find(([it]) => it === name)), { viewport: { width: 1280, height: 900 } });
  assert.match(await cut.page.locator(".lanes select option:checked").innerText(), kernel);
  assert.equal(await cut.page.getByRole("tab", { name: "Difference" }).count(), 0, "one stage has no difference");
  const row = cut.page.locator(".lanes svg text.name", { hasText: new RegExp(`^${word}$`) });
  for (let step = 0; step < 40 && (await row.count()) === 0; step++) await cut.page.locator(".do-forward").click();
  assert.equal(await row.count(), 1, `${name}: no row of groups`);
  const groups = await cut.page.evaluate(() => JSON.parse(document.getElementById("data").textContent).groups);
  const reads = await cut.page.locator(".cell.reads title").allTextContents();
  const shown = await cut.page.locator("[class^='cell group-'] title").allTextContents();
  const read = reads.map((title) => Number(title.split(": ")[1]));
  const found = shown.slice(0, read.length).map((title) => Number(title.split(": ")[1]));
  assert.deepEqual(found, read.map((element) => groups[element]), `${name}: the groups of the read elements`);
  assert.match(await cut.page.locator(".about").innerText(), name === "keys" ? /table in shared memory/ : /Up to 8 elements: a thread/);
  assert.deepEqual(cut.faults, [], name);
  await cut.close();
}

await page.emulateMedia({ media: "print" });
assert.equal(await page.locator(".controls").isVisible(), false);
assert.deepEqual(faults, []);
await chrome.close();
console.log(`${reports.length} of ${REPORTS.length} reports, each at ${sizes(0).length} of ${SIZES.length} widths`);
