/** Where an agent works. The current session changes with repairs; each one has a generation of its own. */

/** `text`: the agent's final text is the answer. `tool`: a reply is a `message_send` that names the message. */
export type ReplyContract = "text" | "tool";

export type Lane = {
  /** A slug; what people call it is beside it. */
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
  /** Why nothing is sent in this lane at present, or null. */
  pausedReason: string | null;
  /** Why nothing is sent to its member: its team is paused or stopped, or its shutdown was approved. Null for most. */
  teamHold: string | null;
  sessionId: string | null;
  /** Counts the sessions that this lane has had; 0 before the first. */
  generation: number;
  createdAt: number;
  /** Counts the changes of everything above. */
  version: number;
};

export type NewLane = Omit<Lane, "sessionId" | "generation" | "pausedReason" | "teamHold" | "version">;

export type LaneSession = { generation: number; sessionId: string; openedAt: number };

/** Settings that are to be others; what is left out stays as it is. */
export type LaneChange = Partial<
  Pick<Lane, "displayName" | "team" | "member" | "runtime" | "directory" | "agent" | "model" | "contract">
>;

/** Something that does not go as it should in a lane, although its runtime works. `code` is stable. */
export type Notice = { code: string; message: string };

/** The name under which this lane's agent writes. */
export function laneName(lane: Pick<Lane, "id" | "member">): string {
  return lane.member ?? lane.id;
}

type Pauses = Pick<Lane, "pausedReason" | "teamHold">;

/** Why nothing is sent in a lane. It goes on when neither it nor its team is paused. */
export function pauseOf({ pausedReason, teamHold }: Pauses): string | null {
  return pausedReason ?? teamHold;
}

/** Nothing is sent in a paused lane. It is still observed. */
export function isPaused(lane: Pauses): boolean {
  return pauseOf(lane) !== null;
}
