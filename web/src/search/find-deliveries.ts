/** Finds deliveries by words of their ids, lane, status and reason. */
import type { Delivery } from "waybill/client";
import { WaybillError } from "waybill/client";
import { client } from "../live/client.ts";
import { isDeliveryId, mayBeId } from "./typed-id.ts";

export type DeliveryPage = { deliveries: Delivery[]; nextCursor?: string };

const pageSize = 5;

export async function findDeliveries(query: string, cursor?: string): Promise<DeliveryPage> {
  const page = await client.deliveries({ q: query, limit: pageSize, cursor });
  if (page.deliveries.length > 0 || page.nextCursor !== undefined || cursor !== undefined) return page;
  return findOlder(query);
}

/** A search for words covers only the newest; complete ids are found among all. */
async function findOlder(id: string): Promise<DeliveryPage> {
  if (!mayBeId(id)) return { deliveries: [] };
  if (!isDeliveryId(id)) return client.deliveries({ messageId: id });
  const found = await nullIfUnknown(client.delivery(id));
  return { deliveries: found ? [found] : [] };
}

async function nullIfUnknown<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof WaybillError && error.status === 404) return null;
    throw error;
  }
}
