/**
 * The client of a Waybill daemon, for programs, the command line and the page. Needs nothing but `fetch`.
 *
 * What only reads, `send` and `attach` are repeated by themselves while the daemon restarts. Everything that changes something
 * resolves when the change is durable.
 */
import type { StreamOptions } from "./event-stream.ts";
import { followStream, isOpening } from "./event-stream.ts";
import type { WaitOptions } from "./outcome.ts";
import { outcome } from "./outcome.ts";
import type { DaemonConnection } from "./requests.ts";
import { request, urlOf } from "./requests.ts";
import { endlessRetryMs, withRetries } from "./retry.ts";
import type {
  Ask,
  AskAnswer,
  Attachment,
  Delivery,
  DeliveryDetail,
  EventPage,
  FollowedEvent,
  Hold,
  Lane,
  Message,
  NewLane,
  NewMember,
  NewMessage,
  NewTeam,
  SendResult,
  Sent,
  Status,
  StreamEvent,
  Team,
  TeamImport,
  Version,
} from "./shapes.ts";
import { hasOutcome } from "./shapes.ts";
import { isTransient, WaybillError } from "./waybill-error.ts";

type Paging = { limit?: number | undefined; cursor?: string | undefined };
type Signal = { signal?: AbortSignal | undefined };

export class WaybillClient {
  readonly #connection: DaemonConnection;

  constructor(connection: DaemonConnection) {
    this.#connection = connection;
  }

  /** Where the daemon is. */
  get url(): string {
    return urlOf(this.#connection);
  }

  /**
   * Resolves when the message is stored. A message without an id gets one before the first try, so that a daemon that
   * dies in mid-request neither loses the message nor takes it twice.
   */
  send(message: NewMessage & { to: { lane: string } }, options?: Signal): Promise<Sent>;
  send(message: NewMessage, options?: Signal): Promise<SendResult>;
  send(message: NewMessage, { signal }: Signal = {}): Promise<SendResult> {
    const body = withId(message);
    return this.#safely((api, init) => api.POST("/v1/messages", { body, ...init }), signal);
  }

  /**
   * Stores a file for messages: what this resolves with goes into `attachments` of a message. Safe to repeat. A file that no
   * message names is removed after a day.
   */
  async attach(
    content: Blob | Uint8Array<ArrayBuffer>,
    { name, mimeType, signal }: Signal & { name: string; mimeType?: string | undefined },
  ): Promise<Attachment> {
    const isBlob = content instanceof Blob;
    const bytes = isBlob ? new Uint8Array(await content.arrayBuffer()) : content;
    const type = mimeType ?? (isBlob ? content.type : "");
    const file = {
      params: { query: { name } },
      body: "",
      bodySerializer: () => bytes,
      headers: { "Content-Type": type === "" ? "application/octet-stream" : type },
    };
    return this.#safely((api, init) => api.POST("/v1/attachments", { ...file, ...init }), signal);
  }

  /** Sends, and resolves when the delivery has an outcome. */
  sendAndWait(
    message: NewMessage,
    options: WaitOptions & { onSent?: (sent: Sent) => void } = {},
  ): Promise<DeliveryDetail> {
    const identified = withId(message);
    const lane = "lane" in message.to ? message.to.lane : undefined;
    const begin = async () => {
      const sent = asDelivery(await this.send(identified, options));
      options.onSent?.(sent);
      return sent;
    };
    return this.#outcome(lane, begin, options);
  }

  /** Resolves when the delivery has an outcome. */
  async wait(deliveryId: string, options: WaitOptions = {}): Promise<DeliveryDetail> {
    const delivery = await this.delivery(deliveryId, options);
    // Its lane may be gone, and then has no stream.
    if (hasOutcome(delivery)) return delivery;
    return this.#outcome(delivery.lane, () => this.delivery(deliveryId, options), options);
  }

  #outcome(lane: string | undefined, begin: () => Promise<Sent>, options: WaitOptions): Promise<DeliveryDetail> {
    const { signal } = options;
    return outcome(
      {
        follow: (followed) => followStream<StreamEvent>(this.#connection, { ...followed, types: ["delivery"] }),
        delivery: (id) =>
          withRetries(() => this.delivery(id, { signal }), { if: isTransient, waits: endlessRetryMs(), signal }),
      },
      lane,
      begin,
      options,
    );
  }

  /** What happens, until the signal is aborted. Connects again by itself, leaves nothing out and repeats nothing. */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return this.#follow<StreamEvent>(options);
  }

  /** What agents did and said, oldest first. A page without events is the end for now. */
  events(
    query: { lane?: string | undefined; after?: string | undefined; limit?: number | undefined } = {},
    { signal }: Signal = {},
  ): Promise<EventPage> {
    return this.#safely((api, init) => api.GET("/v1/events", { params: { query: defined(query) }, ...init }), signal);
  }

  /**
   * What agents do and say, as it happens, until the signal is aborted. Connects again by itself; of what happened in
   * between only deltas are missing, and their text is in the completed items.
   */
  followEvents(options: Omit<StreamOptions, "types"> = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    return this.#follow<FollowedEvent>({ ...options, types: ["events"] });
  }

  async *#follow<T extends { type: string; cursor: string }>(options: StreamOptions) {
    for await (const event of followStream<T>(this.#connection, options)) {
      if (isOpening(event)) options.onOpen?.();
      else yield event;
    }
  }

  /** Newest first; with `q`, those in which all of its words were said. */
  messages(
    query: Paging & { lane?: string | undefined; q?: string | undefined } = {},
  ): Promise<{ messages: Message[]; nextCursor?: string }> {
    return this.#safely((api, init) => api.GET("/v1/messages", { params: { query: defined(query) }, ...init }));
  }

  /** Takes a message back that was not sent yet. */
  withdraw(id: string, lane?: string): Promise<Sent> {
    const params = { path: { id }, query: defined({ lane }) };
    return this.#change((api, init) => api.DELETE("/v1/messages/{id}", { params, ...init }));
  }

  /** Newest first. */
  deliveries(
    filter: Paging & {
      lane?: string | undefined;
      status?: readonly Status[] | undefined;
      messageId?: string | undefined;
    } = {},
  ): Promise<{ deliveries: Delivery[]; nextCursor?: string }> {
    const query = defined({ ...filter, status: filter.status?.join(",") });
    return this.#safely((api, init) => api.GET("/v1/deliveries", { params: { query }, ...init }));
  }

  delivery(id: string, { signal }: Signal = {}): Promise<DeliveryDetail> {
    const params = { path: { id } };
    return this.#safely((api, init) => api.GET("/v1/deliveries/{id}", { params, ...init }), signal);
  }

  /** Once more for a delivery that failed for good. */
  retry(deliveryId: string): Promise<Sent> {
    const params = { path: { id: deliveryId } };
    return this.#change((api, init) => api.POST("/v1/deliveries/{id}/retry", { params, ...init }));
  }

  cancel(deliveryId: string): Promise<Sent> {
    const params = { path: { id: deliveryId } };
    return this.#change((api, init) => api.POST("/v1/deliveries/{id}/cancel", { params, ...init }));
  }

  lanes(): Promise<{ lanes: Lane[] }> {
    return this.#safely((api, init) => api.GET("/v1/lanes", init));
  }

  lane(id: string): Promise<Lane> {
    return this.#safely((api, init) => api.GET("/v1/lanes/{id}", { params: { path: { id } }, ...init }));
  }

  addLane(body: NewLane): Promise<Lane> {
    return this.#change((api, init) => api.POST("/v1/lanes", { body, ...init }));
  }

  /** With `force` also while deliveries are open: they end cancelled. */
  async removeLane(id: string, { force = false } = {}): Promise<void> {
    const params = { path: { id }, query: force ? { force: "true" as const } : {} };
    await this.#change((api, init) => api.DELETE("/v1/lanes/{id}", { params, ...init }));
  }

  /** Ends the running turn; its delivery is cancelled and never retried. */
  abortLane(id: string): Promise<Lane> {
    return this.#change((api, init) => api.POST("/v1/lanes/{id}/abort", { params: { path: { id } }, ...init }));
  }

  pauseLane(id: string, reason?: string): Promise<Lane> {
    const body = defined({ reason });
    return this.#change((api, init) => api.POST("/v1/lanes/{id}/pause", { params: { path: { id } }, body, ...init }));
  }

  resumeLane(id: string): Promise<Lane> {
    return this.#change((api, init) => api.POST("/v1/lanes/{id}/resume", { params: { path: { id } }, ...init }));
  }

  /** Gives a lane back whose last delivery owes something that nobody can see or write. */
  releaseLane(id: string): Promise<Lane> {
    return this.#change((api, init) => api.POST("/v1/lanes/{id}/release", { params: { path: { id } }, ...init }));
  }

  /** From the next message on the lane goes on in this session of its agent program. */
  adoptSession(id: string, sessionId: string): Promise<Lane> {
    const body = { sessionId };
    return this.#change((api, init) => api.POST("/v1/lanes/{id}/session", { params: { path: { id } }, body, ...init }));
  }

  /** All teams with their members, and what each of them is doing. */
  teams(): Promise<{ teams: Team[] }> {
    return this.#safely((api, init) => api.GET("/v1/teams", init));
  }

  team(team: string): Promise<Team> {
    return this.#safely((api, init) => api.GET("/v1/teams/{team}", { params: { path: { team } }, ...init }));
  }

  /** Makes a team, or changes what people call it. */
  putTeam(team: string, body: NewTeam = {}): Promise<Team> {
    return this.#change((api, init) => api.PUT("/v1/teams/{team}", { params: { path: { team } }, body, ...init }));
  }

  /** Follows the inbox files of a team from now on. May be repeated. */
  importTeam(body: TeamImport): Promise<Team> {
    return this.#change((api, init) => api.POST("/v1/teams/import", { body, ...init }));
  }

  /** The lanes of its members stay. */
  async removeTeam(team: string): Promise<void> {
    await this.#change((api, init) => api.DELETE("/v1/teams/{team}", { params: { path: { team } }, ...init }));
  }

  /** Nothing is sent to its members until it is resumed; what runs goes on. */
  pauseTeam(team: string): Promise<Team> {
    return this.#change((api, init) => api.POST("/v1/teams/{team}/pause", { params: { path: { team } }, ...init }));
  }

  resumeTeam(team: string): Promise<Team> {
    return this.#change((api, init) => api.POST("/v1/teams/{team}/resume", { params: { path: { team } }, ...init }));
  }

  /** As a pause, and what runs is stopped. */
  stopTeam(team: string): Promise<Team> {
    return this.#change((api, init) => api.POST("/v1/teams/{team}/stop", { params: { path: { team } }, ...init }));
  }

  /** Adds a member, or changes one. */
  putMember(team: string, member: string, body: NewMember): Promise<Team> {
    const params = { path: { team, member } };
    return this.#change((api, init) => api.PUT("/v1/teams/{team}/members/{member}", { params, body, ...init }));
  }

  /** Its lane stays, and what waits in it is still delivered. */
  removeMember(team: string, member: string): Promise<Team> {
    const params = { path: { team, member } };
    return this.#change((api, init) => api.DELETE("/v1/teams/{team}/members/{member}", { params, ...init }));
  }

  /** Approves the shutdown of a member: it gets nothing more until it is added again. */
  shutDownMember(team: string, member: string): Promise<Team> {
    const params = { path: { team, member } };
    return this.#change((api, init) => api.POST("/v1/teams/{team}/members/{member}/shutdown", { params, ...init }));
  }

  /** The token of a member that somebody else runs; good for the tools alone. */
  memberToken(team: string, member: string): Promise<{ token: string }> {
    const params = { path: { team, member } };
    return this.#change((api, init) => api.POST("/v1/teams/{team}/members/{member}/token", { params, ...init }));
  }

  /** What was written to a person ("user" unless said otherwise), newest first. */
  inbox({ unread, ...query }: Paging & { person?: string | undefined; unread?: boolean | undefined } = {}): Promise<{
    messages: Message[];
    nextCursor?: string;
  }> {
    const wanted = defined({ ...query, unread: unread ? ("true" as const) : undefined });
    return this.#safely((api, init) => api.GET("/v1/inbox", { params: { query: wanted }, ...init }));
  }

  /** Marks messages to a person as read: these, or all. */
  markRead(marks: { person?: string | undefined; ids?: string[] | undefined } = {}): Promise<{ marked: number }> {
    return this.#change((api, init) => api.POST("/v1/inbox/read", { body: defined(marks), ...init }));
  }

  /** Agents that are held because they write to each other and nothing else happens. */
  holds(): Promise<{ holds: Hold[] }> {
    return this.#safely((api, init) => api.GET("/v1/holds", init));
  }

  /** Lets the agents of two lanes go on. */
  releaseHold(lane: string, other: string): Promise<{ released: number }> {
    const body = { lanes: [lane, other] as [string, string] };
    return this.#change((api, init) => api.POST("/v1/holds/release", { body, ...init }));
  }

  /** What agents wait for at this moment. */
  asks(): Promise<{ asks: Ask[] }> {
    return this.#safely((api, init) => api.GET("/v1/asks", init));
  }

  async answer(askId: string, body: AskAnswer): Promise<void> {
    await this.#change((api, init) => api.POST("/v1/asks/{id}", { params: { path: { id: askId } }, body, ...init }));
  }

  /** Asks the daemon to end in good order and start anew. It has done so when `version` tells another run id. */
  async restart(): Promise<void> {
    await this.#change((api, init) => api.POST("/v1/restart", init));
  }

  /** A code that a browser exchanges for a cookie, once: `/login?code=…`. */
  login(): Promise<{ code: string; expiresAt: string }> {
    return this.#change((api, init) => api.POST("/v1/login", init));
  }

  version({ signal }: Signal = {}): Promise<Version> {
    return this.#safely((api, init) => api.GET("/version", init), signal);
  }

  /** For what does no harm when it is executed twice. */
  #safely<T>(ask: Parameters<typeof request<T>>[1], signal?: AbortSignal): Promise<T> {
    return request(this.#connection, ask, { safe: true, signal });
  }

  #change<T>(ask: Parameters<typeof request<T>>[1]): Promise<T> {
    return request(this.#connection, ask, { safe: false });
  }
}

/** Only a delivery has an outcome that can be waited for. */
function asDelivery(sent: SendResult): Sent {
  const { deliveryId, status } = sent;
  if (deliveryId !== null && status !== "handed_over") return { ...sent, deliveryId, status };
  throw new WaybillError({
    code: "no_delivery",
    message: `Message "${sent.messageId}" waits in a mailbox to be read; nothing tells when it is answered.`,
    hint: "Send it without waiting.",
    status: 202,
  });
}

function withId(message: NewMessage): NewMessage & { messageId: string } {
  return { ...message, messageId: message.messageId ?? newMessageId() };
}

/** Not `randomUUID`, which browsers keep from pages that are served without TLS. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `msg-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A query without a value is left out. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
