/**
 * The page in a real browser: how long a conversation of 5,000 messages takes to open compared with one of 50, and whether
 * anything blocks the page while a person scrolls through it, or while an agent writes two thousand pieces of text.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { find, ratio, repeats } from "./harness/measurement.mjs";
import { longestTask, noteLongTasks, startBrowser } from "./parts/browser.mjs";
import { startDaemon } from "./parts/daemon.mjs";
import { memoryRuntime } from "./parts/memory-runtime.mjs";
import { startMemoryWaybill } from "./parts/memory-waybill.mjs";

export const about = {
  name: "page",
  title: "The page",
  description:
    "The built program, and Chromium without a window. Opening: from the navigation until the newest message is shown, with the " +
    "page's files in the browser's cache. A message and its answer count as two. Long tasks: the longest time for which the page " +
    "could not react, by the browser's own count, which knows only those of 50 ms and more; 0 means that there was none.",
};

const opening = "opening a conversation";
const blocking = "the longest task";
const few = "50 messages";
const many = "5,000 messages";
const pieces = 2000;

export async function run(context) {
  // A quick run only shows that it works: it keeps the names, and says nothing about their sizes.
  const counts = context.quick ? { [few]: 10, [many]: 100 } : { [few]: 50, [many]: 5000 };
  const directory = context.file("daemon");
  context.progress(`writing ${counts[many]} messages`);
  await writeConversations(directory, Object.values(counts));
  const steps = Array.from({ length: pieces }, (_, index) => ({ say: `Word **${index}** of many. ` }));
  const script = { stepMs: 1, always: [{ steps }] };
  const daemon = await startDaemon({ directory, lanes: { "lane-0": script, "lane-1": script } });
  const browser = await startBrowser(daemon);
  try {
    return await measured(context, { page: browser.page, daemon, counts });
  } finally {
    await browser.close();
    await daemon.stop();
  }
}

async function measured(context, { page, daemon, counts }) {
  await noteLongTasks(page);
  const lanes = Object.keys(counts).map((condition, index) => ({ condition, lane: `lane-${index}` }));
  const took = { [few]: [], [many]: [] };
  for (let round = -1; round < context.repeats; round++) {
    context.progress(`opening, round ${round + 1}`);
    for (const { condition, lane } of lanes) {
      const ms = await opened(page, daemon.url, lane, counts[condition]);
      if (round >= 0) took[condition].push(ms);
    }
  }
  const measurements = lanes.map(({ condition }) => repeats(opening, "the page", condition, "ms", took[condition]));
  for (const { condition, lane } of lanes) {
    context.progress(`scrolling through ${condition}`);
    const scrolled = [];
    for (let round = 0; round < Math.min(3, context.repeats); round++) {
      await opened(page, daemon.url, lane, counts[condition]);
      await longestTask(page);
      await scrollToBeginning(page);
      scrolled.push(await longestTask(page));
    }
    measurements.push(repeats(blocking, "scrolling to the beginning", condition, "ms", scrolled));
  }
  for (const { condition, lane } of lanes) {
    context.progress(`a turn of ${pieces} pieces behind ${condition}`);
    await opened(page, daemon.url, lane, counts[condition]);
    await longestTask(page);
    await daemon.send(`pieces-${lane}`, lane, "Say it.");
    await page.locator("#message-pieces-".concat(lane, " [data-sign=answered]")).waitFor({ timeout: 120_000 });
    measurements.push(repeats(blocking, `a turn of ${pieces} pieces`, condition, "ms", [await longestTask(page)]));
  }
  const of = (condition) => find(measurements, opening, "the page", condition);
  return { measurements, ratios: [ratio("opening 5,000 messages over 50", of(many), of(few))] };
}

/** Written by the program itself, with an agent that answers immediately. Later the stub runs these lanes. */
async function writeConversations(directory, counts) {
  const [home, work] = ["home", "work"].map((name) => join(directory, name));
  for (const path of [home, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const waybill = await startMemoryWaybill({
    path: join(home, "waybill.db"),
    lanes: counts.length,
    runtime: { ...memoryRuntime(), kind: "stub" },
    work,
  });
  for (const [lane, count] of counts.entries()) {
    for (let index = 0; index < count / 2; index++) {
      const id = `message-${lane}-${index}`;
      const closed = waybill.closed(id);
      await waybill.admit(id, lane, textOf(index));
      await closed;
    }
  }
  await waybill.recorded(counts.reduce((sum, count) => sum + count / 2, 0));
  await waybill.close();
}

/** Text of different lengths with some markdown, as people write it. */
function textOf(index) {
  const list = Array.from({ length: index % 5 }, (_, item) => `\n- point ${item} of it, with \`code\``).join("");
  return `Change **rule ${index}**, and run its tests.${" Look at what it did before.".repeat(index % 7)}\n${list}`;
}

/** In ms, by the page's own clock, which starts with the navigation. */
async function opened(page, url, lane, count) {
  await page.goto(`${url}/lanes/${lane}`, { waitUntil: "commit" });
  return page.evaluate(
    (last) => {
      const isShown = () => {
        const box = document.getElementById(last)?.getBoundingClientRect();
        return box && box.height > 0 && box.top < innerHeight && box.bottom > 0;
      };
      return new Promise((resolve) => {
        const look = () => (isShown() ? resolve(performance.now()) : requestAnimationFrame(look));
        look();
      });
    },
    `message-message-${lane.at(-1)}-${count / 2 - 1}`,
  );
}

/** As fast as a person can scroll: a screen per frame. */
function scrollToBeginning(page) {
  return page.evaluate(() => {
    const log = document.querySelector("[role=log]");
    const isFirst = () => document.querySelector("[id^=message-message-][id$='-0']") !== null && log.scrollTop === 0;
    return new Promise((resolve) => {
      const step = () => {
        if (isFirst()) return resolve();
        log.scrollTop -= innerHeight;
        requestAnimationFrame(step);
      };
      step();
    });
  });
}
