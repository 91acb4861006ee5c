/**
 * Preloaded into the worker by flow.mjs. On each message it answers with the source files of which a function was
 * called since the message before, and these functions. V8 counts calls, and starts from zero whenever the counts are taken.
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

/** A module's own body is the function that begins where the file does. */
function wasCalled({ ranges }) {
  return ranges[0].startOffset > 0 && ranges[0].count > 0;
}
