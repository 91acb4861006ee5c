/** Mail that is written in the same transaction as what it tells of. */
import type { Message } from "../message/message.ts";
import type { DeliveryRecord } from "./record.ts";

export type OutgoingMail = {
  message: Message;
  payloadHash: string;
  /** Of a message to a lane: it begins when the message is stored. */
  delivery?: DeliveryRecord | null;
};
