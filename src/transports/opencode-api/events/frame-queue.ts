/** The frames queued for one client. */
import type { QueueLimits } from "../../../service/live-queue.ts";
import { LiveQueue } from "../../../service/live-queue.ts";
import type { SseFrame } from "./frame.ts";

export class FrameQueue extends LiveQueue<SseFrame> {
  readonly #directory: string | undefined;
  #liveTexts = new WeakSet<object>();

  constructor(directory: string | undefined, signal: AbortSignal, limits?: QueueLimits) {
    super(signal, ({ plain }) => plain.length, limits);
    this.#directory = directory;
  }

  override push(frames: readonly SseFrame[]): void {
    super.push(this.isLive ? frames.filter((frame) => this.wants(frame) && !this.#hasSeenText(frame)) : []);
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
    this.#liveTexts = new WeakSet();
  }
}
