/** The frames that wait for one client. */
import type { QueueLimits } from "../../../live-queue.ts";
import { LiveQueue } from "../../../live-queue.ts";
import type { SseFrame } from "./frame.ts";
import type { StreamCursor } from "./stream-cursor.ts";

export class FrameQueue extends LiveQueue<SseFrame> {
  /** Changes of lanes were lost with the rest. */
  overflowed = false;
  readonly #directory: string | undefined;
  #liveTexts = new WeakSet<object>();

  constructor(directory: string | undefined, signal: AbortSignal, limits?: QueueLimits) {
    super(signal, ({ plain }) => plain.length, limits);
    this.#directory = directory;
  }

  /** Changes of lanes wait for a client from its first moment on, everything else once it is live. */
  override push(frames: readonly SseFrame[]): void {
    super.push(
      frames.filter((frame) => this.wants(frame) && (this.isLive || frame.isLaneChange) && !this.#hasSeenText(frame)),
    );
  }

  wants({ directory }: Pick<SseFrame, "directory">): boolean {
    return this.#directory === undefined || directory === null || directory === this.#directory;
  }

  #hasSeenText({ liveText }: SseFrame): boolean {
    if (liveText?.isRepeat) return this.#liveTexts.has(liveText.key);
    if (liveText) this.#liveTexts.add(liveText.key);
    return false;
  }

  override stop(): void {
    super.stop();
    this.overflowed = true;
    this.#liveTexts = new WeakSet();
  }

  /** Everything waits for the client from this very moment on, and nothing from before. */
  begin(): void {
    this.stop();
    this.overflowed = false;
    this.start();
  }

  /**
   * The client has come to `at`. Changes of lanes that waited meanwhile carry an older cursor, and a client that resumed
   * from that would get again what came after it.
   */
  readFrom(at: StreamCursor): AsyncGenerator<SseFrame> {
    if (!this.isLive) this.waiting = this.waiting.map((frame) => frame.movedTo({ ...at, feed: frame.at.feed }));
    this.start();
    return this.read();
  }
}
