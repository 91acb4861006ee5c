/** A temporary directory with a user's home, a project to work in, and a configuration file. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export function configDirectory() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "waybill-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const project = join(root, "project");
  mkdirSync(project);
  const file = join(root, ".config", "waybill", "config.json");
  const env: NodeJS.ProcessEnv = { HOME: root };
  const write = (content: unknown, path = file) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  return { root, project, file, env, write, home: join(root, ".local", "state", "waybill") };
}

export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
