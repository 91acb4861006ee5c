/** Mail that is written in the same transaction as the event it reports. */
import type { Message } from "../message/message.ts";
import type { DeliveryRecord } from "./record.ts";

export type OutgoingMail = {
  message: Message;
  payloadHash: string;
  /** For a message to a lane: the delivery that begins when the message is stored. */
  delivery?: DeliveryRecord | null;
};
