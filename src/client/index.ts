/** `waybill/client`: has no dependency on the daemon, and also runs in browsers. */

export type { StreamOptions } from "./event-stream.ts";
export type { SentDelivery, WaitOptions } from "./outcome.ts";
export type { DaemonConnection } from "./requests.ts";
export type {
  Alert,
  Ask,
  AskAnswer,
  Attachment,
  DayStats,
  DayTotals,
  Delivery,
  DeliveryDetail,
  DeliveryStreamEvent,
  DirectoryList,
  DoctorCheck,
  DoctorReport,
  Duration,
  EventPage,
  FollowedEvent,
  Hold,
  Item,
  Lane,
  LaneEventPage,
  ListedDelivery,
  LiveTurn,
  Member,
  Message,
  MessagePage,
  NewLane,
  NewMember,
  NewMessage,
  NewTeam,
  Part,
  Readiness,
  RunningProgram,
  Runtime,
  SendResult,
  Sent,
  Stats,
  Status,
  StreamEvent,
  Team,
  TeamImport,
  UniversalEvent,
  Unread,
  Version,
} from "./shapes.ts";
export { hasOutcome, recipientName } from "./shapes.ts";
export { WaybillClient } from "./waybill-client.ts";
export { WaybillError } from "./waybill-error.ts";
