/** Ids as people type or paste them. Pure. */
const fullId = /^[0-9a-f]{64}$/;
/** The maximum length of a message id. */
const maxIdLength = 128;

/** Of a delivery or a message. Senders choose message ids, so nearly anything may be one. */
export function mayBeId(typed: string): boolean {
  return typed !== "" && typed.length <= maxIdLength && !/\s/.test(typed);
}

export function isDeliveryId(typed: string): boolean {
  return fullId.test(typed);
}
