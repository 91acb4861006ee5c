/**
 * Decides which prompts in the sessions of a directory were for a message that may be older than the store. Pure.
 *
 * One of Waybill's own ids is conclusive anywhere. Text is not: it counts only if no id was found, and only in
 * sessions that the store does not know, since prompts to the known ones had ids.
 */
import type { Attempt } from "../delivery/attempt.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { FoundPrompt, IdsFrom } from "./find-prompts.ts";
import {
  attemptsAsFound,
  attemptsById,
  attemptsByMarker,
  derivedIds,
  isForMessage,
  isPromptOf,
  unknownGeneration,
  withoutGaps,
} from "./find-prompts.ts";

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
