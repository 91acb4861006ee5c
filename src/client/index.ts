/** `waybill/client`: stands alone, and runs in browsers too. */
export type { StreamOptions } from "./event-stream.ts";
export type { WaitOptions } from "./outcome.ts";
export type { DaemonConnection } from "./requests.ts";
export type {
  Alert,
  Ask,
  AskAnswer,
  Delivery,
  DeliveryDetail,
  DeliveryStreamEvent,
  EventPage,
  FollowedEvent,
  Lane,
  Message,
  NewLane,
  NewMessage,
  Readiness,
  Sent,
  Status,
  StreamEvent,
  UniversalEvent,
  Version,
} from "./shapes.ts";
export { hasOutcome } from "./shapes.ts";
export { WaybillClient } from "./waybill-client.ts";
export { WaybillError } from "./waybill-error.ts";
