/**
 * The client of a Waybill daemon, for programs, the command line and the page. Needs only `fetch`.
 *
 * Reads, `send` and `attach` are retried automatically while the daemon restarts. Every change resolves once it is
 * durable.
 */

import type { StreamOptions } from "./event-stream.ts";
import { followStream, isOpening } from "./event-stream.ts";
import type { SentDelivery, WaitOptions } from "./outcome.ts";
import { asDelivery, outcome, withId } from "./outcome.ts";
import type { Paging, Signal } from "./requests.ts";
import { defined } from "./requests.ts";
import { endlessRetryMs, withRetries } from "./retry.ts";
import type {
  Ask,
  AskAnswer,
  Attachment,
  DeliveryDetail,
  DirectoryList,
  DoctorReport,
  EventPage,
  FollowedEvent,
  Lane,
  LaneEventPage,
  ListedDelivery,
  LiveTurn,
  MessagePage,
  NewLane,
  NewMessage,
  Runtime,
  SendResult,
  Sent,
  Stats,
  Status,
  StreamEvent,
  Version,
} from "./shapes.ts";
import { hasOutcome } from "./shapes.ts";
import { TeamClient } from "./team-client.ts";
import { isTransient } from "./waybill-error.ts";

export class WaybillClient extends TeamClient {
  /**
   * Resolves when the message is stored. A message without an id gets one before the first try, so that a daemon that
   * dies mid-request neither loses the message nor takes it twice.
   */
  send(message: NewMessage & { to: { lane: string } }, options?: Signal): Promise<Sent>;
  send(message: NewMessage, options?: Signal): Promise<SendResult>;
  send(message: NewMessage, { signal }: Signal = {}): Promise<SendResult> {
    const body = withId(message);
    return this.safely((api, init) => api.POST("/v1/messages", { body, ...init }), signal);
  }

  /**
   * Stores a file for messages: put the result into a message's `attachments`. Safe to repeat. A file that no message
   * names is removed after a day.
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
    return this.safely((api, init) => api.POST("/v1/attachments", { ...file, ...init }), signal);
  }

  /** Sends, and resolves when the delivery has an outcome. */
  sendAndWait(
    message: NewMessage,
    options: WaitOptions & { onSent?: (sent: SentDelivery) => void } = {},
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
    // A removed lane has no stream.
    if (hasOutcome(delivery)) return delivery;
    return this.#outcome(delivery.lane, () => this.delivery(deliveryId, options), options);
  }

  #outcome(lane: string | undefined, begin: () => Promise<Sent>, options: WaitOptions): Promise<DeliveryDetail> {
    const { signal } = options;
    return outcome(
      {
        follow: (followed) => followStream<StreamEvent>(this.connection, { ...followed, types: ["delivery"] }),
        delivery: (id) =>
          withRetries(() => this.delivery(id, { signal }), { if: isTransient, waits: endlessRetryMs(), signal }),
      },
      lane,
      begin,
      options,
    );
  }

  /**
   * Everything that happens, until the signal is aborted. Reconnects automatically, skips nothing and repeats nothing.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return this.#follow<StreamEvent>(options);
  }

  /** What agents did and said, oldest first. A page without events is the end for now. */
  events(
    query: { lane?: string | undefined; after?: string | undefined; limit?: number | undefined } = {},
    { signal }: Signal = {},
  ): Promise<EventPage> {
    return this.safely((api, init) => api.GET("/v1/events", { params: { query: defined(query) }, ...init }), signal);
  }

  /**
   * What agents do and say, as it happens, until the signal is aborted. Reconnects automatically; only deltas from in
   * between are missing. Their text is in the completed items, or in `turn` for open items.
   */
  followEvents(options: Omit<StreamOptions, "types"> = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    return this.#follow<FollowedEvent>({ ...options, types: ["events"] });
  }

  async *#follow<T extends { type: string; cursor: string }>(options: StreamOptions) {
    for await (const event of followStream<T>(this.connection, options)) {
      if (isOpening(event)) options.onOpen?.();
      else yield event;
    }
  }

  /**
   * Newest first; with `q`, those that contain all of its words. With `deliveries`, the page includes the deliveries of
   * its messages.
   */
  messages(
    {
      deliveries,
      ...query
    }: Paging & {
      lane?: string | undefined;
      /** `TEAM/MEMBER` of a member that Waybill does not run. */
      member?: string | undefined;
      messageId?: string | undefined;
      q?: string | undefined;
      deliveries?: boolean | undefined;
    } = {},
    { signal }: Signal = {},
  ): Promise<MessagePage> {
    const wanted = defined({ ...query, deliveries: deliveries ? ("true" as const) : undefined });
    return this.safely((api, init) => api.GET("/v1/messages", { params: { query: wanted }, ...init }), signal);
  }

  /** Withdraws a message that was not sent yet. */
  withdraw(id: string, lane?: string): Promise<Sent> {
    const params = { path: { id }, query: defined({ lane }) };
    return this.change((api, init) => api.DELETE("/v1/messages/{id}", { params, ...init }));
  }

  /**
   * Newest first. With `q`, only recent ones whose message id, lane, status or reason contains all of its words, or
   * whose id starts with it.
   */
  deliveries(
    filter: Paging & {
      lane?: string | undefined;
      status?: readonly Status[] | undefined;
      messageId?: string | undefined;
      q?: string | undefined;
    } = {},
  ): Promise<{ deliveries: ListedDelivery[]; nextCursor?: string }> {
    const query = defined({ ...filter, status: filter.status?.join(",") });
    return this.safely((api, init) => api.GET("/v1/deliveries", { params: { query }, ...init }));
  }

  delivery(id: string, { signal }: Signal = {}): Promise<DeliveryDetail> {
    const params = { path: { id } };
    return this.safely((api, init) => api.GET("/v1/deliveries/{id}", { params, ...init }), signal);
  }

  /** Retries a delivery that failed for good. */
  retry(deliveryId: string): Promise<Sent> {
    const params = { path: { id: deliveryId } };
    return this.change((api, init) => api.POST("/v1/deliveries/{id}/retry", { params, ...init }));
  }

  cancel(deliveryId: string): Promise<Sent> {
    const params = { path: { id: deliveryId } };
    return this.change((api, init) => api.POST("/v1/deliveries/{id}/cancel", { params, ...init }));
  }

  lanes(): Promise<{ lanes: Lane[] }> {
    return this.safely((api, init) => api.GET("/v1/lanes", init));
  }

  lane(id: string): Promise<Lane> {
    return this.safely((api, init) => api.GET("/v1/lanes/{id}", { params: { path: { id } }, ...init }));
  }

  /** What its agent did and said, newest first. `before` is the `nextBefore` of the previous page. */
  laneEvents(
    id: string,
    query: { before?: number | undefined; limit?: number | undefined } = {},
    { signal }: Signal = {},
  ): Promise<LaneEventPage> {
    const params = { path: { id }, query: defined(query) };
    return this.safely((api, init) => api.GET("/v1/lanes/{id}/events", { params, ...init }), signal);
  }

  /** The open turn of a lane, with its text so far: for a reader that starts to follow it mid-turn. */
  turn(laneId: string, { signal }: Signal = {}): Promise<LiveTurn> {
    const params = { path: { id: laneId } };
    return this.safely((api, init) => api.GET("/v1/lanes/{id}/turn", { params, ...init }), signal);
  }

  addLane(body: NewLane): Promise<Lane> {
    return this.change((api, init) => api.POST("/v1/lanes", { body, ...init }));
  }

  /** With `force`, also while deliveries are open: they end cancelled. */
  async removeLane(id: string, { force = false } = {}): Promise<void> {
    const params = { path: { id }, query: force ? { force: "true" as const } : {} };
    await this.change((api, init) => api.DELETE("/v1/lanes/{id}", { params, ...init }));
  }

  /** Ends the running turn; its delivery is cancelled and never retried. */
  abortLane(id: string): Promise<Lane> {
    return this.change((api, init) => api.POST("/v1/lanes/{id}/abort", { params: { path: { id } }, ...init }));
  }

  pauseLane(id: string, reason?: string): Promise<Lane> {
    const body = defined({ reason });
    return this.change((api, init) => api.POST("/v1/lanes/{id}/pause", { params: { path: { id } }, body, ...init }));
  }

  resumeLane(id: string): Promise<Lane> {
    return this.change((api, init) => api.POST("/v1/lanes/{id}/resume", { params: { path: { id } }, ...init }));
  }

  /** Frees a lane whose last delivery still owes something that cannot be observed or written. */
  releaseLane(id: string): Promise<Lane> {
    return this.change((api, init) => api.POST("/v1/lanes/{id}/release", { params: { path: { id } }, ...init }));
  }

  /** From the next message on, the lane continues in this session of its agent program. */
  adoptSession(id: string, sessionId: string): Promise<Lane> {
    const body = { sessionId };
    return this.change((api, init) => api.POST("/v1/lanes/{id}/session", { params: { path: { id } }, body, ...init }));
  }

  /**
   * The agent programs that lanes use or could use, and their running processes. With a lane directory, also its
   * models.
   */
  runtimes(query: { directory?: string | undefined } = {}): Promise<{ runtimes: Runtime[] }> {
    return this.safely((api, init) => api.GET("/v1/runtimes", { params: { query: defined(query) }, ...init }));
  }

  /** Directories in which lanes may work: those in `path`, or the allowed ones themselves. */
  directories(query: { path?: string | undefined } = {}): Promise<DirectoryList> {
    return this.safely((api, init) => api.GET("/v1/directories", { params: { query: defined(query) }, ...init }));
  }

  /** What agents are waiting for now. */
  asks(): Promise<{ asks: Ask[] }> {
    return this.safely((api, init) => api.GET("/v1/asks", init));
  }

  async answer(askId: string, body: AskAnswer): Promise<void> {
    await this.change((api, init) => api.POST("/v1/asks/{id}", { params: { path: { id: askId } }, body, ...init }));
  }

  /** Asks the daemon to shut down cleanly and start again. It has done so once `version` returns another run id. */
  async restart(): Promise<void> {
    await this.change((api, init) => api.POST("/v1/restart", init));
  }

  /** A code that a browser can exchange for a cookie once, within ten minutes: `/login?code=…`. */
  login(): Promise<{ code: string; expiresAt: string }> {
    return this.change((api, init) => api.POST("/v1/login", init));
  }

  /** For the page: signs this browser out. */
  async logout(): Promise<void> {
    await this.change((api, init) => api.POST("/v1/logout", init));
  }

  /** How deliveries ended, how long they took and what agents used, by lane and day; the last 30 days by default. */
  stats(query: { days?: number | undefined; lane?: string | undefined } = {}): Promise<Stats> {
    return this.safely((api, init) => api.GET("/v1/stats", { params: { query: defined(query) }, ...init }));
  }

  /** Runs the checks of `waybill doctor` in the daemon; takes seconds. */
  doctor({ signal }: Signal = {}): Promise<DoctorReport> {
    return this.safely((api, init) => api.GET("/v1/doctor", init), signal);
  }

  version({ signal }: Signal = {}): Promise<Version> {
    return this.safely((api, init) => api.GET("/version", init), signal);
  }
}
