/** A directory of inbox files for a test, and rows to fill them with. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const aRow = (id: string, more: Record<string, unknown> = {}) => ({
  from: "waybill",
  text: `Text of ${id}.`,
  timestamp: "2026-01-01T00:00:00.000Z",
  messageId: id,
  read: false,
  ...more,
});

export class InboxDirectory {
  readonly directory: string;
  readonly path: string;

  constructor(parent = tmpdir()) {
    this.directory = mkdtempSync(join(parent, "waybill-inbox-"));
    this.path = this.in("builder.json");
  }

  in(name: string): string {
    return join(this.directory, name);
  }

  text(): string {
    return readFileSync(this.path, "utf8");
  }

  rows(): unknown[] {
    return JSON.parse(this.text()) as unknown[];
  }

  /** In place, like programs that know nothing about locks and renames. */
  write(content: string | readonly unknown[]): void {
    writeFileSync(this.path, typeof content === "string" ? content : JSON.stringify(content));
  }

  names(): string[] {
    return readdirSync(this.directory).toSorted();
  }

  dispose(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
