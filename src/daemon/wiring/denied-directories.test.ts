import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namesOf } from "./create-runtimes.ts";

test("a state directory behind a symlink is denied under both names", () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "waybill-names-")));
  try {
    mkdirSync(join(place, "real"));
    symlinkSync(join(place, "real"), join(place, "link"));
    expect(namesOf(join(place, "link"))).toEqual([join(place, "link"), join(place, "real")]);
    expect(namesOf(join(place, "real"))).toEqual([join(place, "real")]);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
