/** Finds what a person names by an id or the beginning of one: among the newest, when it is a beginning. */
import { AppError } from "../app-error.ts";
import type { Delivery, DeliveryDetail, Message, WaybillClient } from "../client/index.ts";
import { WaybillError } from "../client/index.ts";
import { oneLine, shortId } from "./output/words.ts";

const pageSize = 200;
const maxPages = 5;

/** The deliveries of a message, or the one delivery of that id. */
export async function findDeliveries(client: WaybillClient, reference: string): Promise<readonly Delivery[]> {
  const exact = /^[0-9a-f]{64}$/.test(reference) ? await ifThere(client.delivery(reference)) : null;
  if (exact) return [exact];
  const { deliveries } = await client.deliveries({ messageId: reference });
  if (deliveries.length > 0) return deliveries;
  const begun = await among(
    (cursor) => client.deliveries({ limit: pageSize, cursor }).then((page) => ({ ...page, items: page.deliveries })),
    ({ id, messageId }) => id.startsWith(reference) || messageId.startsWith(reference),
  );
  const messages = [...new Set(begun.map(({ messageId }) => messageId))];
  if (messages.length > 1) throw ambiguous(reference, messages);
  return begun;
}

/** Exactly one, or an error that says how to name it. */
export async function findDelivery(client: WaybillClient, reference: string): Promise<Delivery> {
  return theOnly(await findDeliveries(client, reference), reference);
}

function theOnly(deliveries: readonly Delivery[], reference: string): Delivery {
  const [only, ...more] = deliveries;
  if (only === undefined) throw notFound(`No delivery or message begins with "${oneLine(reference)}".`);
  if (more.length === 0) return only;
  throw new AppError({
    code: "ambiguous",
    message: `Message ${only.messageId} has a delivery in each of several lanes.`,
    hint: `Name the delivery: ${deliveries.map(({ id, lane }) => `${shortId(id)} (${lane})`).join(", ")}.`,
  });
}

export type Found = { delivery: DeliveryDetail } | { message: Message };

/** A delivery with all that is known of it, or a message that has none, as an answer to a person. */
export async function findAny(client: WaybillClient, reference: string): Promise<Found> {
  const deliveries = await findDeliveries(client, reference);
  if (deliveries.length > 0) return { delivery: await client.delivery(theOnly(deliveries, reference).id) };
  const messages = await among(
    (cursor) => client.messages({ limit: pageSize, cursor }).then((page) => ({ ...page, items: page.messages })),
    ({ id }) => id.startsWith(reference),
  );
  const message = onlyOne(messages, reference);
  if (message) return { message };
  throw notFound(`No delivery or message begins with "${oneLine(reference)}".`);
}

/** The one open ask whose id begins like that. */
export function findAsk<T extends { id: string }>(items: readonly T[], reference: string): T {
  const ask = onlyOne(items, reference);
  if (ask) return ask;
  throw askUnknown(reference);
}

/** Null when nothing begins like that. */
function onlyOne<T extends { id: string }>(items: readonly T[], reference: string): T | null {
  const exact = items.find(({ id }) => id === reference);
  // One id may stand several times: in the mailboxes of several lanes.
  const begun = exact ? [exact] : uniqueById(items.filter(({ id }) => id.startsWith(reference)));
  const [only = null, ...more] = begun;
  if (more.length === 0) return only;
  const ids = begun.map(({ id }) => id);
  throw ambiguous(reference, ids);
}

function uniqueById<T extends { id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

type Part<T> = { items: readonly T[]; nextCursor?: string };

async function among<T>(
  page: (cursor: string | undefined) => Promise<Part<T>>,
  matches: (item: T) => boolean,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { items, nextCursor } = await page(cursor);
    found.push(...items.filter(matches));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}

async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WaybillError && error.status === 404) return null;
    throw error;
  }
}

function askUnknown(reference: string): AppError {
  return new AppError({
    code: "ask_unknown",
    message: `Nothing is asked under "${oneLine(reference)}" any more.`,
    hint: "Somebody may have answered it, or its turn has ended. `waybill asks` lists what is open.",
  });
}

function notFound(message: string): AppError {
  return new AppError({
    code: "not_found",
    message,
    hint: "`waybill deliveries` and `waybill messages` list the newest ones with their ids.",
  });
}

function ambiguous(reference: string, ids: readonly string[]): AppError {
  const some = ids.slice(0, 5).map(oneLine).join(", ");
  return new AppError({
    code: "ambiguous",
    message: `"${oneLine(reference)}" is the beginning of several ids.`,
    hint: `Write more of it: ${some}${ids.length > 5 ? ", …" : ""}.`,
  });
}
