/** Finds the Chromium that the tests drive. Plain Node, because the first step of every npm script uses it. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program that CHROMIUM_PATH names, else one in PATH. Null if there is none. */
export function findChromium({ CHROMIUM_PATH, PATH = "" }) {
  if (CHROMIUM_PATH) return isProgram(CHROMIUM_PATH) ? CHROMIUM_PATH : null;
  return findInPath(names, PATH);
}

export function findInPath(programs, path) {
  const places = path.split(delimiter).filter((directory) => directory !== "");
  return programs.flatMap((name) => places.map((directory) => join(directory, name))).find(isProgram) ?? null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
