/** Finds deliveries, messages and asks by an id or a prefix. Prefixes are matched against the newest ones only. */

import type { Delivery, DeliveryDetail, Message, WaybillClient } from "../client/index.ts";
import { WaybillError } from "../client/index.ts";
import { AppError } from "../platform/app-error.ts";
import { oneLine, shortId } from "./output/format.ts";

const pageSize = 200;
const maxPages = 5;

/** The deliveries of a message, or the one delivery with that id. */
export async function findDeliveries(client: WaybillClient, id: string): Promise<readonly Delivery[]> {
  const exact = /^[0-9a-f]{64}$/.test(id) ? await nullIfNotFound(client.delivery(id)) : null;
  if (exact) return [exact];
  const { deliveries } = await client.deliveries({ messageId: id });
  if (deliveries.length > 0) return deliveries;
  const newest = await newestItems((page) =>
    client.deliveries(page).then(({ deliveries: items, nextCursor }) => ({ items, nextCursor })),
  );
  const matches = newest.filter((delivery) => delivery.id.startsWith(id) || delivery.messageId.startsWith(id));
  const messageIds = [...new Set(matches.map(({ messageId }) => messageId))];
  if (messageIds.length > 1) throw ambiguous(id, messageIds);
  return matches;
}

export async function findDelivery(client: WaybillClient, id: string): Promise<Delivery> {
  const delivery = singleDelivery(await findDeliveries(client, id));
  if (delivery) return delivery;
  throw notFound(id);
}

/** A delivery in detail, or a message that has no delivery, such as an answer to a person. */
export async function findDeliveryOrMessage(
  client: WaybillClient,
  id: string,
): Promise<{ delivery: DeliveryDetail } | { message: Message }> {
  const delivery = singleDelivery(await findDeliveries(client, id));
  if (delivery) return { delivery: await client.delivery(delivery.id) };
  const newest = await newestItems((page) =>
    client.messages(page).then(({ messages: items, nextCursor }) => ({ items, nextCursor })),
  );
  const message = singleMatch(newest, id);
  if (message) return { message };
  throw notFound(id);
}

export function findAsk<T extends { id: string }>(asks: readonly T[], id: string): T {
  const ask = singleMatch(asks, id);
  if (ask) return ask;
  throw new AppError({
    code: "ask_unknown",
    message: `No open ask begins with "${oneLine(id)}".`,
    hint: "It may have been answered, or its turn has ended. `waybill asks` lists the open asks.",
  });
}

function singleDelivery(deliveries: readonly Delivery[]): Delivery | null {
  const [first = null, ...others] = deliveries;
  if (first === null || others.length === 0) return first;
  throw new AppError({
    code: "ambiguous",
    message: `Message ${first.messageId} has deliveries in several lanes.`,
    hint: `Use the id of a delivery: ${deliveries.map(({ id, lane }) => `${shortId(id)} (${lane})`).join(", ")}.`,
  });
}

/** Null if no id has this prefix. */
function singleMatch<T extends { id: string }>(items: readonly T[], id: string): T | null {
  // The same id can occur in the mailboxes of several lanes.
  const byId = new Map(items.filter((item) => item.id.startsWith(id)).map((item) => [item.id, item]));
  if (byId.size > 1 && !byId.has(id)) throw ambiguous(id, [...byId.keys()]);
  return items.find((item) => item.id === id) ?? byId.values().next().value ?? null;
}

type Page<T> = { items: readonly T[]; nextCursor: string | undefined };

async function newestItems<T>(
  readPage: (page: { limit: number; cursor: string | undefined }) => Promise<Page<T>>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage({ limit: pageSize, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof WaybillError && error.status === 404) return null;
    throw error;
  }
}

export function notFound(id: string): AppError {
  return new AppError({
    code: "not_found",
    message: `No delivery or message begins with "${oneLine(id)}".`,
    hint: "`waybill deliveries` and `waybill messages` list the newest ones and their ids.",
  });
}

function ambiguous(id: string, ids: readonly string[]): AppError {
  const some = ids.slice(0, 5).map(oneLine).join(", ");
  return new AppError({
    code: "ambiguous",
    message: `Several ids begin with "${oneLine(id)}".`,
    hint: `Use a longer prefix: ${some}${ids.length > 5 ? ", …" : ""}.`,
  });
}
