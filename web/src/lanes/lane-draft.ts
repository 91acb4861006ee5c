/** The choices for a new lane, and the resulting lane. Pure. */
import type { NewLane } from "waybill/client";
import { idProblem, nameOfDirectory, slugOf, uniqueId } from "./lane-id.ts";

export type LaneDraft = {
  directory: string | null;
  /** Null until one is typed: the directory's name is used. */
  name: string | null;
  /** Null until one is typed: it is derived from the name. */
  id: string | null;
  /** Null: the default of the configuration. */
  runtime: string | null;
  model: string;
  agent: string;
  contract: NonNullable<NewLane["contract"]>;
};

export const emptyDraft: LaneDraft = {
  ...{ directory: null, name: null, id: null, runtime: null },
  ...{ model: "", agent: "", contract: "text" },
};

export function nameOf({ name, directory }: LaneDraft): string {
  return name ?? (directory === null ? "" : nameOfDirectory(directory));
}

export function idOf(draft: LaneDraft, taken: ReadonlySet<string>): string {
  return draft.id ?? uniqueId(slugOf(nameOf(draft)), taken);
}

/** What is missing or wrong, by field. */
export type DraftProblems = { directory?: string; id?: string };

export function problemsOf(draft: LaneDraft, taken: ReadonlySet<string>): DraftProblems {
  const id = idProblem(idOf(draft, taken), taken);
  return {
    ...(draft.directory === null ? { directory: "Choose the directory for the agent to work in." } : {}),
    ...(id === null ? {} : { id }),
  };
}

/** Only for a draft without problems. Empty fields are left to the daemon. */
export function newLaneOf(draft: LaneDraft, taken: ReadonlySet<string>): NewLane {
  const id = idOf(draft, taken);
  const name = nameOf(draft).trim();
  const [model, agent] = [draft.model.trim(), draft.agent.trim()];
  return {
    id,
    directory: draft.directory ?? "",
    ...(name === "" || name === id ? {} : { displayName: name }),
    ...(draft.runtime === null ? {} : { runtime: draft.runtime as NonNullable<NewLane["runtime"]> }),
    ...(model === "" ? {} : { model }),
    ...(agent === "" ? {} : { agent }),
    ...(draft.contract === "text" ? {} : { contract: draft.contract }),
  };
}
