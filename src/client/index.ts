/** `waybill/client`: stands alone, and runs in browsers too. */
export type { StreamOptions } from "./event-stream.ts";
export type { WaitOptions } from "./outcome.ts";
export type { DaemonConnection } from "./requests.ts";
export type {
  Alert,
  Ask,
  AskAnswer,
  Attachment,
  Delivery,
  DeliveryDetail,
  DeliveryStreamEvent,
  EventPage,
  FollowedEvent,
  Hold,
  Lane,
  Member,
  Message,
  NewLane,
  NewMember,
  NewMessage,
  NewTeam,
  Readiness,
  SendResult,
  Sent,
  Status,
  StreamEvent,
  Team,
  TeamImport,
  UniversalEvent,
  Version,
} from "./shapes.ts";
export { hasOutcome, recipientName } from "./shapes.ts";
export { WaybillClient } from "./waybill-client.ts";
export { WaybillError } from "./waybill-error.ts";
