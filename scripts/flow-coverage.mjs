/**
 * Preloaded into the worker by flow.mjs. It answers each message with the functions that were called since the last
 * message, by source file. V8 counts calls, and restarts from zero whenever the counts are read.
 */
import { Session } from "node:inspector/promises";

const built = new URL("../build/", import.meta.url).href;
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

process.on("message", async (message) => {
  if (message !== "take") return;
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result
    .filter(({ url }) => url.startsWith(built))
    .map(({ url, functions }) => ({
      path: url.slice(built.length).replace(/\.js$/, ".ts"),
      functions: functions
        .filter(wasCalled)
        .map(({ functionName, ranges }) => `${functionName || "(anonymous)"}@${ranges[0].startOffset}`),
    }))
    .filter(({ functions }) => functions.length > 0);
  process.send({ type: "coverage", files });
});

/** A module's own body is the function that starts at the beginning of the file. */
function wasCalled({ ranges }) {
  return ranges[0].startOffset > 0 && ranges[0].count > 0;
}
