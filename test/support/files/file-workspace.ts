/** A lane's directory with a few files, and the API that serves it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { anApi } from "../daemon/http-api.ts";
import { testService } from "../daemon/test-service.ts";

export function fileWorkspace({ git }: { git: boolean }) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "waybill-workspace-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, "project");
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  write("a.txt", "  first line\nthe needle\n");
  write("src/main.ts", "export const needle = 1;\n");
  write("src/deep/maintain.ts", "export {};\n");
  write("picture.png", Buffer.from([0x89, 0x50, 0, 1]));
  write("state/token", "secret needle");
  write("../outside/secret.txt", "secret needle");
  if (git) {
    write(".gitignore", "ignored.txt\n");
    write("ignored.txt", "an ignored needle\n");
    execFileSync("git", ["init", "-q", "-b", "main", directory], { env: { PATH: process.env.PATH ?? "" } });
  }
  symlinkSync(join(root, "outside"), join(directory, "out"));
  symlinkSync(join(root, "outside", "secret.txt"), join(directory, "link.txt"));
  symlinkSync(join(directory, "src"), join(directory, "within"));
  const service = testService();
  service.allowedDirectories = [directory];
  service.stateDirectories = [join(directory, "state")];
  const { ask } = anApi({ service });
  const read = async <T>(path: string) => (await ask(`/opencode${path}`)).json() as T;
  return { root, directory, service, ask, read, write };
}
