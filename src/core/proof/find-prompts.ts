/**
 * Finds the prompts of a delivery whose record was lost, among the prompts in sessions. Pure.
 *
 * If a runtime takes Waybill's ids, they are derived again; if not, the marker decides. A prompt with another id may
 * still have been for the message: by the marker, or by the full text. That is less than proof, and only used for
 * sessions whose prompts have an unknown origin.
 */
import type { Attempt } from "../delivery/attempt.ts";
import { attemptDigest, laterAttemptFields, maxSendsPerAttempt } from "../delivery/attempt.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { promptMarker } from "../delivery/texts.ts";
import type { RuntimeIds, TranscriptRow } from "../transcript/transcript.ts";

export type FoundPrompt = Pick<TranscriptRow, "id" | "text" | "createdAt" | "continuesId"> & {
  sessionId: string;
  /** The row before it. */
  previousId: string | null;
};

export type IdsFrom = (digest: string) => RuntimeIds;

/** By attempt number: the possible message ids of the attempt, each with its generation. */
export type DerivedIds = (number: number) => ReadonlyMap<string, number>;

export function promptsIn(sessionId: string, rows: readonly TranscriptRow[]): FoundPrompt[] {
  return rows.flatMap(({ id, role, text, createdAt, continuesId }, index) => {
    const previousId = rows[index - 1]?.id ?? null;
    return role === "user" ? [{ id, text, createdAt, continuesId, sessionId, previousId }] : [];
  });
}

/** Derives each id once, however many sessions are searched. */
export function derivedIds(deliveryId: string, generations: readonly number[], idsFrom: IdsFrom): DerivedIds {
  const derived = new Map<number, ReadonlyMap<string, number>>();
  const derive = (number: number) => {
    const idOf = (generation: number) => idsFrom(attemptDigest(deliveryId, number, generation)).messageId;
    return new Map(generations.map((generation) => [idOf(generation), generation]));
  };
  return (number) => {
    const ids = derived.get(number) ?? derive(number);
    derived.set(number, ids);
    return ids;
  };
}

/** Ordered by number. Of two prompts with one id, as after a fork, the later one in the list counts. */
export function attemptsById(
  prompts: readonly FoundPrompt[],
  ids: DerivedIds,
  record: DeliveryRecord,
  idsFrom: IdsFrom,
): Attempt[] {
  const byId = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  const found: Attempt[] = [];
  // Numbers continue after a person's retry, so search a whole budget beyond the last one found.
  for (let number = 1; number <= (found.at(-1)?.number ?? 0) + budgetOf(record); number++) {
    for (const [id, generation] of ids(number)) {
      const prompt = byId.get(id);
      if (prompt) found.push(ownAttempt(prompt, number, generation, record, idsFrom));
    }
  }
  return found;
}

/** In the order of the prompts; their numbers follow `before`. */
export function attemptsByMarker(
  prompts: readonly FoundPrompt[],
  generationOf: (sessionId: string) => number,
  record: DeliveryRecord,
  idsFrom: IdsFrom,
  before = 0,
): Attempt[] {
  return prompts
    .filter((prompt) => isMarked(prompt, record))
    .map((prompt, index) => ownAttempt(prompt, before + index + 1, generationOf(prompt.sessionId), record, idsFrom));
}

/**
 * Whether a prompt with any id may have been for the message. A prompt older than the message was not, whatever its
 * text.
 */
export function isForMessage(
  prompt: FoundPrompt,
  record: DeliveryRecord,
  request: { text: string | null; since: number },
): boolean {
  // A compaction repeats the text of a prompt that is also present.
  if (prompt.continuesId !== null) return false;
  const said = prompt.text.trim();
  const isWhole = said !== "" && said === request.text?.trim();
  return isMarked(prompt, record) || (isWhole && prompt.createdAt >= request.since);
}

/** Whether a delivery has an attempt with this id. */
export function isPromptOf(ids: DerivedIds, id: string, record: DeliveryRecord): boolean {
  return Array.from({ length: budgetOf(record) }, (_, index) => index + 1).some((number) => ids(number).has(id));
}

/** They keep the ids of their rows, to be observed by, and are never sent again with these. */
export function attemptsAsFound(prompts: readonly FoundPrompt[]): Attempt[] {
  return prompts
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map((prompt, index) => ({
      ...attemptAt(prompt, index + 1, unknownGeneration),
      ...{ messageId: prompt.id, partId: prompt.id },
      sends: maxSendsPerAttempt,
    }));
}

/** Generations start at 1. */
export const unknownGeneration = 0;

/** Attempts are numbered without gaps, so a missing one before a found one must have been lost in transit. */
export function withoutGaps(found: readonly Attempt[], record: DeliveryRecord, idsFrom: IdsFrom): Attempt[] {
  const byNumber = new Map(found.map((attempt) => [attempt.number, attempt]));
  const list: Attempt[] = [];
  for (const attempt of [...byNumber.values()].sort((one, other) => one.number - other.number)) {
    while (list.length + 1 < attempt.number) {
      const number = list.length + 1;
      const ids = idsFrom(attemptDigest(record.id, number, attempt.generation));
      list.push({ ...attempt, ...ids, number, kind: number === 1 ? "prompt" : "retry" });
    }
    list.push(attempt);
  }
  return list;
}

function isMarked({ text }: FoundPrompt, { messageId }: DeliveryRecord): boolean {
  return text.trimStart().startsWith(promptMarker(messageId));
}

function budgetOf({ maxAttempts, maxRepairs }: DeliveryRecord): number {
  return maxAttempts + maxRepairs;
}

function ownAttempt(
  prompt: FoundPrompt,
  number: number,
  generation: number,
  record: DeliveryRecord,
  idsFrom: IdsFrom,
): Attempt {
  const ids = idsFrom(attemptDigest(record.id, number, generation));
  return { ...attemptAt(prompt, number, generation), ...ids, sends: 1 };
}

function attemptAt(
  { sessionId, previousId, createdAt }: FoundPrompt,
  number: number,
  generation: number,
): Omit<Attempt, "messageId" | "partId" | "sends"> {
  return {
    ...laterAttemptFields,
    number,
    kind: number === 1 ? "prompt" : "retry",
    spends: "attempts",
    because: null,
    sessionId,
    generation,
    prePromptCursor: previousId,
    left: true,
    submittedAt: createdAt,
  };
}

export type DirectorySearch = {
  /** The lane's sessions that the store knows: their generations by their ids. */
  generations: ReadonlyMap<string, number>;
  inKnown: readonly FoundPrompt[];
  /** From sessions that the store knows for no lane; newest session first. */
  inUnknown: readonly FoundPrompt[];
  /** The message's text, and the earliest time it can have been prompted. */
  request: { text: string | null; since: number };
  /** The deliveries of the same message to other lanes, if any. */
  otherDeliveries: readonly string[];
  takesIds: boolean;
  idsFrom: IdsFrom;
};

/**
 * Which prompts in the sessions of a directory were for a message that may be older than the store. One of Waybill's
 * own ids is conclusive anywhere. Text is not: it counts only if no id was found, and only in sessions that the store
 * does not know, since prompts to the known ones had ids.
 */
export function attemptsInDirectory(record: DeliveryRecord, search: DirectorySearch): Attempt[] {
  const { generations, inKnown, inUnknown, takesIds, idsFrom } = search;
  if (!takesIds) {
    const prompts = withoutCopies([...inUnknown, ...inKnown]).sort((one, other) => one.createdAt - other.createdAt);
    const generationOf = (sessionId: string) => generations.get(sessionId) ?? unknownGeneration;
    return attemptsByMarker(prompts, generationOf, record, idsFrom);
  }
  const ids = derivedIds(record.id, [...new Set([...firstGenerations, ...generations.values()])], idsFrom);
  const byId = attemptsById([...inUnknown, ...inKnown], ids, record, idsFrom);
  return byId.length > 0 ? withoutGaps(byId, record, idsFrom) : attemptsByText(record, search);
}

/**
 * The generation of a session that the store does not know is also unknown. A lane counts its sessions from 1; after
 * a restore it continues far above that, and those generations are not tried.
 */
const firstGenerations = Array.from({ length: 1000 }, (_, index) => index + 1);

function attemptsByText(
  record: DeliveryRecord,
  { inUnknown, request, otherDeliveries, idsFrom }: DirectorySearch,
): Attempt[] {
  const candidates = inUnknown.filter((prompt) => isForMessage(prompt, record, request));
  if (candidates.length === 0) return [];
  const idsOfOthers = otherDeliveries.map((id) => derivedIds(id, firstGenerations, idsFrom));
  const isOfOther = (id: string) => idsOfOthers.some((ids) => isPromptOf(ids, id, record));
  return attemptsAsFound(withoutCopies(candidates).filter(({ id }) => !isOfOther(id)));
}

/** A fork repeats the prompts of another session, with their times. Of two copies, the later one in the list stays. */
function withoutCopies(prompts: readonly FoundPrompt[]): FoundPrompt[] {
  return [...new Map(prompts.map((prompt) => [`${prompt.createdAt} ${prompt.text}`, prompt])).values()];
}
