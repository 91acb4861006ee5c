/** A lane is where an agent works. Its current session changes with repairs; each session has its own generation. */

/** `text`: the agent's final text is the answer. `tool`: a reply is a `message_send` that names the message. */
export type ReplyContract = "text" | "tool";

export type Lane = {
  /** A slug; people see `displayName`. */
  id: string;
  displayName: string | null;
  team: string | null;
  member: string | null;
  /** The kind of runtime that drives it; compare `Runtime.kind`. */
  runtime: string;
  directory: string;
  agent: string | null;
  model: string | null;
  contract: ReplyContract;
  /** Why nothing is currently sent in this lane, or null. */
  pausedReason: string | null;
  /**
   * Why nothing is sent to its member: the team is paused or stopped, or the member's shutdown was approved. Usually
   * null.
   */
  teamHold: string | null;
  sessionId: string | null;
  /** Counts the sessions this lane has had; 0 before the first. */
  generation: number;
  createdAt: number;
  /** Counts the changes to the fields above. */
  version: number;
};

export type NewLane = Omit<Lane, "sessionId" | "generation" | "pausedReason" | "teamHold" | "version">;

export type LaneSession = { generation: number; sessionId: string; openedAt: number };

/** The settings to change; omitted ones stay as they are. */
export type LaneChange = Partial<
  Pick<Lane, "displayName" | "team" | "member" | "runtime" | "directory" | "agent" | "model" | "contract">
>;

/** Something that goes wrong in a lane although its runtime works. `code` is stable. */
export type Notice = { code: string; message: string };

/** The name this lane's agent writes under. */
export function laneName(lane: Pick<Lane, "id" | "member">): string {
  return lane.member ?? lane.id;
}

type Pauses = Pick<Lane, "pausedReason" | "teamHold">;

/** Why nothing is sent in a lane. It resumes when neither the lane nor its team is paused. */
export function pauseOf({ pausedReason, teamHold }: Pauses): string | null {
  return pausedReason ?? teamHold;
}

/** Nothing is sent in a paused lane. It is still observed. */
export function isPaused(lane: Pauses): boolean {
  return pauseOf(lane) !== null;
}
