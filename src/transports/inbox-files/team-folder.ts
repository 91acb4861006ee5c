/**
 * The folder of a team whose members write to each other in files. Watches it, reads changed inboxes, and routes each
 * row to its recipient. One scan at a time; changes during a scan trigger another. A periodic rescan covers missed
 * events.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { isInFile } from "../../core/inbox/hand-over.ts";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import type { Notice } from "../../core/lane/lane.ts";
import type { Team } from "../../core/team/team.ts";
import { joinMembers } from "../../mail/join-members.ts";
import type { InboxFile } from "./file/inbox-file.ts";
import { isDirectory } from "./file/problems.ts";
import type { FolderContext, FolderDeps } from "./folder-context.ts";
import type { Inbox } from "./folder-inboxes.ts";
import { FolderInboxes, readInbox, removalMs } from "./folder-inboxes.ts";
import type { DirectoryLock } from "./folder-lock.ts";
import type { FolderProblem } from "./folder-problems.ts";
import { FolderProblems, theDirectory, theLead, writingTo } from "./folder-problems.ts";
import { FolderWatch } from "./folder-watch.ts";
import { followRows, isUnserved, keepWaiting, msUntilSettled, writeWaiting } from "./hand-over-rows.ts";
import { archiveRows, laneMember } from "./lane-rows.ts";
import { isFileError, readTeamConfig } from "./team-config-file.ts";

/** How often to retry an inbox while another program holds its lock: no event reports the release. */
const lockedMs = 1000;

export type TeamFolderDeps = FolderDeps & {
  /** For copies of unreadable files. */
  quarantine: string;
  /** For read rows. */
  archive: string;
  lock: DirectoryLock;
  rescanMs: number;
  /** The files cannot be used; called once per problem. */
  onProblem: (problem: FolderProblem) => void;
  onError: (failure: { error: unknown }) => void;
};

export class TeamFolder {
  readonly name: string;
  readonly directory: string;
  readonly #since: number;
  readonly #deps: TeamFolderDeps;
  readonly #watch: FolderWatch;
  readonly #inboxes: FolderInboxes;
  readonly #problems: FolderProblems;
  #config: TeamConfig | null = null;
  #isListed = false;
  #knownMembers = "";
  #cancelRescan: () => void = () => {};
  #scanning: Promise<void> | null = null;
  #isStale = false;
  #closed = false;

  constructor({ name, directory, directorySince }: Team, deps: TeamFolderDeps) {
    this.name = name;
    this.directory = directory ?? "";
    this.#since = directorySince ?? 0;
    this.#deps = deps;
    this.#inboxes = new FolderInboxes(this.directory, deps.failPoint);
    this.#problems = new FolderProblems(name, deps);
    this.#watch = new FolderWatch(this.directory, () => void this.scan());
  }

  /** Why its files cannot be used, for people. */
  get notices(): readonly Notice[] {
    return this.#problems.notices;
  }

  /** Resolves once everything now in the files has been processed. */
  scan(): Promise<void> {
    this.#isStale = true;
    this.#scanning ??= this.#scanAll();
    return this.#scanning;
  }

  /** Called when a message was sent; most are not for this team's files. */
  async writeWaiting(): Promise<void> {
    try {
      const open = await this.#deps.store.openHandOvers(this.name);
      if (open.some(({ handOver }) => handOver.state === "waiting" && handOver.reason === null)) await this.scan();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The inbox of a member or of `user`. Its file need not exist. */
  async inbox(name: string): Promise<InboxFile> {
    if (!this.#isListed) await this.#list();
    return this.#inboxes.of(name, this.#config).file;
  }

  /** The row's message counts as read although its flag could not be written, so the flag is written later. */
  async oweFlag(inbox: string, key: string): Promise<void> {
    try {
      if (!this.#isListed) await this.#list();
      this.#inboxes.of(inbox, this.#config).taken.oweFlag(key);
      await this.scan();
    } catch (error) {
      this.#failed(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRescan();
    this.#watch.close();
    await this.#scanning;
    this.#deps.lock.release();
  }

  async #scanAll(): Promise<void> {
    while (this.#isStale && !this.#closed) {
      this.#isStale = false;
      try {
        await this.#scanOnce();
      } catch (error) {
        this.#failed(error);
      }
    }
    // Must come before anything else runs and asks for another scan.
    this.#scanning = null;
    this.#cancelRescan();
    if (this.#closed) return;
    const { clock } = this.#deps;
    this.#cancelRescan = clock.at(clock.now() + this.#rescanMs(), () => void this.scan());
  }

  /** Sooner while waiting for something that no event reports. */
  #rescanMs(): number {
    const { rescanMs, clock } = this.#deps;
    if (this.#inboxes.missesOne) return Math.min(rescanMs, removalMs);
    if (this.#inboxes.awaitsLock) return Math.min(rescanMs, lockedMs);
    const settlingMs = this.#config ? msUntilSettled(this.#config, clock.now()) : 0;
    return settlingMs > 0 ? Math.min(rescanMs, settlingMs) : rescanMs;
  }

  /** Ignores errors after closing, because the store may close first. */
  #failed(error: unknown): void {
    if (!this.#closed) this.#deps.onError({ error });
  }

  async #scanOnce(): Promise<void> {
    const { store, clock } = this.#deps;
    const team = await store.team(this.name);
    if (!team || team.directory !== this.directory) return;
    this.#watch.renew();
    if (!(await this.#isUsable(team))) return;
    await this.#list();
    if (this.#config) await joinMembers(this.#config, team, store, clock);
    const areOthers = await this.#membersChanged();
    const inboxes = await this.#allInboxes();
    const changed = new Set<Inbox>();
    const reading = { ...this.#deps, team: this.name, directory: this.directory, problems: this.#problems };
    await this.#sideBySide(inboxes, async (inbox) => {
      if (await readInbox(inbox, areOthers, reading)) changed.add(inbox);
    });
    const context = await this.#context();
    // The team was removed in the meantime.
    if (!context) return;
    await this.#sideBySide(inboxes, async (inbox) => this.#attend(inbox, changed.has(inbox), context));
    await this.#reportLead(context);
    await this.#write(context);
    await this.#sideBySide(this.#inboxes.all, async (inbox) => this.#reportWriting(inbox));
  }

  /** One blocked inbox does not hold up the others. */
  async #sideBySide(inboxes: readonly Inbox[], work: (inbox: Inbox) => Promise<void>): Promise<void> {
    await Promise.all(inboxes.map((inbox) => work(inbox).catch((error) => this.#failed(error))));
  }

  /** Takes the new rows of an inbox, and writes the flags owed since an earlier scan. */
  async #attend(inbox: Inbox, isChanged: boolean, context: FolderContext): Promise<void> {
    const { name, file, taken, rows, order } = inbox;
    // The failed write may have been a person's answer, which only that person can repeat.
    await file.recheckWriting();
    const member = context.team.members.find((one) => one.name === name);
    const served = member ? laneMember(member) : null;
    if (isChanged) await taken.take(rows, file, context);
    if (served) await taken.flagOwed(file);
    if (!isChanged) return;
    await followRows(name, rows, order, context);
    if (served) await archiveRows(file, served, this.#deps.archive, context);
    inbox.looked();
  }

  /** Reads the members and lists the files. */
  async #list(): Promise<void> {
    this.#config = (await readTeamConfig(this.directory)) ?? this.#config;
    await this.#inboxes.list();
    this.#isListed = true;
  }

  /** Whether the directory exists and no other Waybill uses it. */
  async #isUsable(team: Team): Promise<boolean> {
    const { lock } = this.#deps;
    if (!isDirectory(this.directory)) {
      lock.release();
      this.#inboxes.forget();
      this.#problems.forgetFiles();
      const words = `The directory ${this.directory} does not exist.`;
      await this.#problems.report(theDirectory, "directory_missing", words);
      await keepWaiting("directory_missing", { ...this.#deps, team });
      return false;
    }
    const holder = lock.take();
    if (holder) {
      const words = `Another Waybill uses it (process ${holder.pid ?? "unknown"}).`;
      await this.#problems.report(theDirectory, "directory_in_use", words);
      await keepWaiting("directory_in_use", { ...this.#deps, team });
      return false;
    }
    await this.#problems.over(theDirectory);
    return true;
  }

  /** Includes the inboxes of followed rows: their files may have been removed while Waybill was not running. */
  async #allInboxes(): Promise<Inbox[]> {
    const open = await this.#deps.store.openHandOvers(this.name);
    const followed = open.filter(({ handOver }) => isInFile(handOver));
    const named = followed.map(({ handOver }) => this.#inboxes.of(handOver.inbox, this.#config));
    return [...new Set([...this.#inboxes.all, ...named])];
  }

  /** True if the members have changed; then any row may belong to another member. */
  async #membersChanged(): Promise<boolean> {
    const { members = [] } = (await this.#deps.store.team(this.name)) ?? {};
    const now = JSON.stringify(members.map(({ name, kind, lane }) => [name, kind, lane]));
    const isOther = this.#knownMembers !== now;
    this.#knownMembers = now;
    return isOther;
  }

  async #context(): Promise<FolderContext | null> {
    const team = await this.#deps.store.team(this.name);
    if (!team) return null;
    const isSession = this.#config?.form === "session";
    return {
      ...this.#deps,
      team,
      since: this.#since,
      form: isSession ? "session" : (this.#inboxes.form ?? "classic"),
      config: this.#config,
      inboxOf: (name) => this.#inboxes.of(name, this.#config).file,
    };
  }

  async #reportLead(context: FolderContext): Promise<void> {
    const unserved = context.team.members.find(({ name }) => isUnserved(name, context));
    if (!unserved) return this.#problems.over(theLead);
    const words = `No lane serves the lead ${unserved.name}: messages to it stay unread.`;
    await this.#problems.report(theLead, "lead_not_served", words);
  }

  /** An unreadable file is reported separately, and the next scan reports a missing directory. */
  async #reportWriting({ name, file: { writeFailure } }: Inbox): Promise<void> {
    const about = writingTo(name);
    if (writeFailure === null || writeFailure.problem === "directory_missing" || this.#problems.isOpen(name)) {
      return this.#problems.over(about);
    }
    await this.#problems.report(about, writeFailure.problem, writeFailure.error);
  }

  async #write(context: FolderContext): Promise<void> {
    const open = await context.store.openHandOvers(this.name);
    if (!open.some(({ handOver }) => handOver.state === "waiting")) return;
    // Do not create files in a directory that is being removed.
    if (this.#inboxes.missesOne) return;
    await makeInboxes(this.directory);
    this.#watch.renew();
    await writeWaiting(context);
  }
}

/** Creates the inbox directory of a team in which no one has written yet. Never recreates a removed team. */
async function makeInboxes(directory: string): Promise<void> {
  try {
    await mkdir(join(directory, "inboxes"));
  } catch (error) {
    // It exists already; otherwise the write reports what is wrong.
    if (!isFileError(error)) throw error;
  }
}
