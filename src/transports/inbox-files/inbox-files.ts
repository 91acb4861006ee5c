/** Follows the files of all teams that have some, from daemon start or their import until they are removed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import { readReleased } from "../../core/delivery/reasons.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Notice } from "../../core/lane/lane.ts";
import type { LogItem } from "../../core/log/log-item.ts";
import type { Team } from "../../core/team/team.ts";
import type { ReadCommit, ReadCommitter } from "../../mail/read-commit.ts";
import type { TeamFiles } from "../../mail/team-files.ts";
import type { TakeLock } from "./folder-lock.ts";
import { DirectoryLock } from "./folder-lock.ts";
import { readTeamConfig } from "./team-config-file.ts";
import type { TeamFolder, TeamFolderDeps } from "./team-folder.ts";

export type InboxFilesDeps = Omit<TeamFolderDeps, "lock" | "quarantine" | "archive"> & {
  takeLock: TakeLock;
  /** For copies of unreadable files, and for archived rows. */
  stateDirectory: string;
};

export class InboxFilesTransport implements TeamFiles {
  readonly reads: ReadCommitter = { commitsWithLedger: true, commitRead: (record) => this.#commitRead(record) };
  readonly #deps: InboxFilesDeps;
  readonly #folders = new Map<string, TeamFolder>();
  /** The names of the teams whose folders are scanned. */
  readonly #followed = new Set<string>();
  /** Null while no team has files, so that messages cost nothing here. */
  #unsubscribe: (() => void) | null = null;
  #closed = false;

  constructor(deps: InboxFilesDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    await Promise.all((await this.#deps.store.teams()).map((team) => this.#follow(team)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe?.();
    await Promise.all([...this.#folders.values()].map((folder) => folder.close()));
  }

  notices(team: string): readonly Notice[] {
    return this.#folders.get(team)?.notices ?? [];
  }

  holderOf(directory: string): { pid: number | null } | null {
    if ([...this.#folders.values()].some((folder) => folder.directory === directory)) return null;
    const lock = new DirectoryLock(directory, this.#deps.takeLock);
    const holder = lock.take();
    lock.release();
    return holder;
  }

  configIn = readTeamConfig;

  async join(directory: string): Promise<void> {
    // Loaded lazily, like everything that writes files.
    const { joinTeam } = await import("./join-team.ts");
    return joinTeam(directory);
  }

  async settled(name: string): Promise<void> {
    const team = await this.#deps.store.team(name);
    if (team) await this.#follow(team);
    await this.#folders.get(name)?.scan();
  }

  #note(items: readonly LogItem[]): void {
    for (const item of items) {
      if (item.type === "team") void this.#changed(item.name, item.team);
      if (item.type === "delivery") this.#noteRelease(item.event, item.record);
      if (item.type === "message" && item.message.recipient.kind !== "lane") this.#writeSoon();
    }
  }

  /** A person released the lane before the row could be flagged. */
  #noteRelease(event: DeliveryEvent, { inboxFile, messageId }: DeliveryRecord): void {
    if (inboxFile === null || event.type !== "read_committed" || !event.diagnostics.includes(readReleased)) return;
    void this.#folders.get(inboxFile.team)?.oweFlag(inboxFile.member, messageId);
  }

  #writeSoon(): void {
    for (const folder of this.#folders.values()) void folder.writeWaiting();
  }

  async #changed(name: string, team: Team | null): Promise<void> {
    try {
      const known = this.#folders.get(name);
      if (known && known.directory !== team?.directory) {
        this.#folders.delete(name);
        this.#followed.delete(name);
        await known.close();
      }
      if (team && known?.directory === team.directory) await known.scan();
      else if (team) await this.#follow(team);
    } catch (error) {
      if (!this.#closed) this.#deps.onError({ error });
    }
  }

  async #follow(team: Team): Promise<void> {
    if (this.#closed || this.#followed.has(team.name)) return;
    const folder = await this.#folderOf(team);
    if (!folder || this.#closed || this.#followed.has(team.name)) return;
    this.#followed.add(team.name);
    this.#unsubscribe ??= this.#deps.store.onLog((items) => this.#note(items));
    await folder.scan();
  }

  async #folderOf(team: Team): Promise<TeamFolder | null> {
    const { takeLock, stateDirectory: _, ...deps } = this.#deps;
    if (team.directory === null) return null;
    // Loaded lazily: most daemons have no such team.
    const { TeamFolder } = await import("./team-folder.ts");
    const known = this.#folders.get(team.name);
    if (known) return known;
    const lock = new DirectoryLock(team.directory, takeLock);
    const [quarantine, archive] = [this.#directory("quarantine"), this.#directory("archive")];
    const folder = new TeamFolder(team, { ...deps, lock, quarantine, archive });
    this.#folders.set(team.name, folder);
    return folder;
  }

  /** Also works before the files are followed: on start, owed reads come first. */
  async #commitRead({ inboxFile, messageId }: DeliveryRecord): Promise<ReadCommit> {
    if (inboxFile === null) return { outcome: "committed" };
    const team = await this.#deps.store.team(inboxFile.team);
    const folder = team && (await this.#folderOf(team));
    if (!folder) return { outcome: "row_gone" };
    const { flagRead } = await import("./inbox-rows.ts");
    return flagRead(await folder.inbox(inboxFile.member), new Set([messageId]));
  }

  #directory(name: string): string {
    const path = join(this.#deps.stateDirectory, "inboxes", name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }
}
