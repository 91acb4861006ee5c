/**
 * What the translation of a session's events has to remember: prompts whose parts still come, the message that is open,
 * and one that is said to be over while its parts may still be on their way.
 */
import { KnownIds } from "../../../core/turn/item-tracker.ts";
import type { Said } from "../../../core/turn/signal.ts";
import type { AssistantMessage, Part } from "../server/opencode-api.ts";
import { endSays, isCompleted, messageSays, userSays } from "../translate/translate-message.ts";

/** More messages than these are not in one turn; a part of an older one says nothing any more. */
const remembered = 5000;

export class SessionState {
  /** The call that this session works for; null at the top. */
  parentCall: string | null = null;
  /** The program rested while a message was open: that message's end is still to come. */
  restsEarly = false;
  /** What the newest error said, until the next message. */
  newestError: string | null = null;
  /** Calls that write a plan, and have not ended. */
  readonly planning = new Set<string>();
  readonly #prompts = new Map<string, Map<string, Part>>();
  readonly #users = new KnownIds(remembered);
  readonly #assistants = new KnownIds(remembered);
  readonly #words = new Map<string, "text" | "reasoning">();
  #open: string | null = null;
  #ending: AssistantMessage | null = null;

  get open(): string | null {
    return this.#open;
  }

  isAssistant(message: string): boolean {
    return this.#assistants.has(message);
  }

  /** Its parts come one by one, and nothing says which is the last: what follows them does. */
  promptBegins(message: string): void {
    if (this.#users.add(message)) this.#prompts.set(message, new Map());
  }

  /** False when it is not a part of a prompt that is awaited. */
  promptPart(part: Part): boolean {
    this.#prompts.get(part.messageID)?.set(part.id, part);
    return this.#users.has(part.messageID);
  }

  /** While a message waits for its end, what came after it waits too. */
  promptsAtWork(): Said[] {
    return this.#ending === null ? this.prompts() : [];
  }

  prompts(): Said[] {
    const said = [...this.#prompts].flatMap(([message, parts]) =>
      userSays(message, [...parts.values()], this.parentCall),
    );
    this.#prompts.clear();
    return said;
  }

  /**
   * The server may write an event when its message has gone on already, so an early one can say that the message is
   * over before its parts come. It is taken for over when the next one begins or the program rests.
   */
  assistant(info: AssistantMessage): Said[] {
    const isNew = this.#assistants.add(info.id);
    const before = isNew ? [...this.endings(), ...this.prompts()] : [];
    if (isCompleted(info)) this.#ending = info;
    if (isNew) this.#open = info.id;
    if (isCompleted(info) && this.#open === info.id) this.#open = null;
    return [...before, ...(isNew ? messageSays(info, this.parentCall) : [])];
  }

  endings(): Said[] {
    const ending = this.#ending;
    this.#ending = null;
    return ending === null ? [] : endSays(ending);
  }

  hearWords(part: string, kind: "text" | "reasoning"): void {
    this.#words.set(part, kind);
  }

  wordsIn(part: string): "text" | "reasoning" | undefined {
    return this.#words.get(part);
  }

  /** Said from the stored rows: events about it go on from there. */
  knowRow(info: { id: string; role: "user" | "assistant" }, isOpen: boolean): void {
    if (info.role === "user") {
      this.#users.add(info.id);
      this.#prompts.delete(info.id);
      return;
    }
    this.#assistants.add(info.id);
    if (isOpen) this.#open = info.id;
    else if (this.#open === info.id) this.#open = null;
    if (this.#ending?.id === info.id) this.#ending = null;
  }

  forget(message: string): void {
    this.#prompts.delete(message);
    if (this.#open === message) this.#open = null;
    if (this.#ending?.id === message) this.#ending = null;
  }

  /** What was open is not waited for any more. */
  rested(): void {
    this.#open = null;
    this.restsEarly = false;
    this.#words.clear();
    this.planning.clear();
  }
}
