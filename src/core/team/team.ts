/** Teams and their members: their names, their kinds, and whether their lanes may work. Pure. */

/** `lane`: Waybill runs it. `native`: somebody else runs it, and it fetches its messages. `person`: reads a mailbox. */
export const memberKinds = ["lane", "native", "person"] as const;
export type MemberKind = (typeof memberKinds)[number];

/** While a team is paused or stopped, nothing is sent in its members' lanes. A stop also ends running turns. */
export const teamStates = ["active", "paused", "stopped"] as const;
export type TeamState = (typeof teamStates)[number];

export const memberColors = ["red", "orange", "yellow", "green", "blue", "purple", "pink", "cyan", "gray"] as const;
export type MemberColor = (typeof memberColors)[number];

export type Member = {
  team: string;
  /** A slug; people see `displayName`. */
  name: string;
  kind: MemberKind;
  /** Where a member of kind `lane` works. */
  lane: string | null;
  displayName: string | null;
  role: string | null;
  color: MemberColor | null;
  /** When its shutdown was approved; it gets no messages from then on. */
  terminatedAt: number | null;
  /** Distinguishes a member that was removed and added again. */
  createdAt: number;
};

export type Team = {
  name: string;
  displayName: string | null;
  state: TeamState;
  /** Where its members write inbox files, and since when this store follows them; null without files. */
  directory: string | null;
  directorySince: number | null;
  createdAt: number;
  /** In the order they joined. */
  members: readonly Member[];
};

/** An existing team keeps its directory unless another one is given. */
export type NewTeam = Pick<Team, "name" | "displayName" | "createdAt"> & { directory?: string | null };
export type NewMember = Omit<Member, "terminatedAt">;

/** The role behind the aliases of a lead. */
export const leadRole = "lead";

const leadAliases = ["lead", "team-lead", "team_lead", "leader"];
/** Names that already mean somebody else. */
const reserved = ["user", "waybill", "system", "person", "everyone", "all", "me", "you", ...leadAliases];

const slug = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Whether a name is reserved, however it is written. */
export function isReserved(written: string): boolean {
  return reserved.includes(canonicalName(written));
}

/** Why a team or a member cannot have this name, or null. */
export function nameProblem(name: string, role: string | null = null): string | null {
  if (!slug.test(name)) return "must be 1 to 64 of a-z 0-9 _ -, beginning with a letter or a digit";
  if (!reserved.includes(name)) return null;
  return leadAliases.includes(name) && role === leadRole ? null : "is reserved";
}

/** The form in which names are compared: `@Tom`, ` tom ` and `TOM` are the same. */
export function canonicalName(written: string): string {
  return written.normalize("NFKC").trim().replace(/^@/, "").trim().toLowerCase().replaceAll(/\s+/g, "-");
}

/** Finds a member by name, by an alias of the lead, or by a display name that only one member has. */
export function memberCalled({ members }: Team, written: string): Member | null {
  const wanted = canonicalName(written);
  const named = members.find(({ name }) => name === wanted);
  if (named) return named;
  if (leadAliases.includes(wanted)) return members.find(({ role }) => role === leadRole) ?? null;
  const shown = members.filter(({ displayName }) => displayName !== null && canonicalName(displayName) === wanted);
  return shown.length === 1 ? (shown[0] ?? null) : null;
}

/** Why nothing is sent to a member, or null. */
export function holdOf({ state }: Pick<Team, "state">, { terminatedAt }: Pick<Member, "terminatedAt">): string | null {
  if (terminatedAt !== null) return "member_terminated";
  return state === "active" ? null : `team_${state}`;
}

export const memberStates = ["active", "idle", "working", "blocked", "paused", "offline", "terminated"] as const;
export type MemberState = (typeof memberStates)[number];

export type MemberFacts = {
  isTerminated: boolean;
  isPaused: boolean;
  /** Whether the program that runs it can be reached, as far as is known. */
  isReachable: boolean;
  hasOpenAsk: boolean;
  isWorking: boolean;
  /** When it was last active; null if never. */
  lastSeenAt: number | null;
};

/** The member's state: the first condition that holds. */
export function memberState(facts: MemberFacts, now: number, idleAfterMs: number): MemberState {
  if (facts.isTerminated) return "terminated";
  if (facts.isPaused) return "paused";
  if (!facts.isReachable) return "offline";
  if (facts.hasOpenAsk) return "blocked";
  if (facts.isWorking) return "working";
  return facts.lastSeenAt !== null && now - facts.lastSeenAt < idleAfterMs ? "active" : "idle";
}
