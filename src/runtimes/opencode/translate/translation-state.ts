/**
 * The translation's state for one session: prompts with parts still to come, the open message, and a completed message
 * that may still get parts.
 */
import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { AssistantMessage, Part } from "../client/api.ts";
import { isCompleted, messageEndSignals, messageSignals, promptSignals } from "./translate-message.ts";

/** More messages than any turn has. Parts of older messages are dropped. */
const maxMessages = 5000;

export class TranslationState {
  /** The call that this session works for; null for a top-level session. */
  parentCall: string | null = null;
  /** The program became idle while a message was open; the end of that message is still to come. */
  idleBeforeEnd = false;
  newestError: string | null = null;
  /** Open calls that write a plan. */
  readonly planCalls = new Set<string>();
  /** The kind of each part that deltas may extend. */
  readonly textParts = new Map<string, "text" | "reasoning">();
  openMessage: string | null = null;
  readonly #prompts = new Map<string, Map<string, Part>>();
  readonly #users = new KnownIds(maxMessages);
  readonly #assistants = new KnownIds(maxMessages);
  #completed: AssistantMessage | null = null;

  isAssistant(message: string): boolean {
    return this.#assistants.has(message);
  }

  /** The parts of a prompt arrive one by one, and none is marked as the last. Only the next event shows that. */
  addPrompt(message: string): void {
    if (this.#users.add(message)) this.#prompts.set(message, new Map());
  }

  /** False if the part does not belong to a prompt. */
  addPromptPart(part: Part): boolean {
    this.#prompts.get(part.messageID)?.set(part.id, part);
    return this.#users.has(part.messageID);
  }

  takePrompts(): SignalBody[] {
    const prompts = [...this.#prompts];
    this.#prompts.clear();
    return prompts.flatMap(([message, parts]) => promptSignals(message, [...parts.values()], this.parentCall));
  }

  /** While the end of a message is not published, the prompts after it have to wait. */
  takePromptsWhileBusy(): SignalBody[] {
    return this.#completed === null ? this.takePrompts() : [];
  }

  /**
   * The server may report a message as completed before it reports all parts. So the end is published when the next
   * message begins or the program becomes idle.
   */
  addAssistant(info: AssistantMessage): SignalBody[] {
    const isNew = this.#assistants.add(info.id);
    const before = isNew ? [...this.takeEnd(), ...this.takePrompts()] : [];
    if (isNew) this.openMessage = info.id;
    if (isCompleted(info)) {
      this.#completed = info;
      if (this.openMessage === info.id) this.openMessage = null;
    }
    return [...before, ...(isNew ? messageSignals(info, this.parentCall) : [])];
  }

  takeEnd(): SignalBody[] {
    const completed = this.#completed;
    this.#completed = null;
    return completed === null ? [] : messageEndSignals(completed);
  }

  /** For a message that was published from its stored row. Its events continue from there. */
  markPublished(info: { id: string; role: "user" | "assistant" }, isOpen: boolean): void {
    (info.role === "user" ? this.#users : this.#assistants).add(info.id);
    this.drop(info.id);
    if (isOpen) this.openMessage = info.id;
  }

  /** Nothing more is expected of this message. */
  drop(message: string): void {
    this.#prompts.delete(message);
    if (this.openMessage === message) this.openMessage = null;
    if (this.#completed?.id === message) this.#completed = null;
  }

  endTurn(): void {
    this.openMessage = null;
    this.idleBeforeEnd = false;
    this.textParts.clear();
    this.planCalls.clear();
  }
}
