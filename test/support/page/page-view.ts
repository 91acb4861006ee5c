/** One browser tab on the page, which records everything that goes wrong in it. */
import type { Locator, Page } from "playwright-core";

/** What the browser reports when the daemon dies under its requests, which the page itself shows and survives. */
export const lostConnection = /ERR_(CONNECTION_\w+|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;
/** A slow machine may not answer for its agents in time. The page reads that as a result, not as an error. */
const notReady = /\b503\b.*\/ready\b/;

export class PageView {
  readonly page: Page;
  readonly #origin: string;
  readonly #problems: string[] = [];
  readonly #allowed: RegExp[] = [notReady];
  /** Every URL that the page requested. */
  readonly requests: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    page.on("console", (message) => {
      if (message.type() === "error") this.#problems.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#problems.push(`error: ${error.stack || error.message}`));
    page.on("dialog", (dialog) => {
      this.#problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      this.requests.push(request.url());
      if (!request.url().startsWith(origin)) this.#problems.push(`request to another place: ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) this.#problems.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Problems that the test itself causes. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  get problems(): string[] {
    return this.#problems.filter((problem) => !this.#allowed.some((pattern) => pattern.test(problem)));
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}${path}`);
    await this.page.getByRole("main").waitFor();
  }

  async openLane(lane: string): Promise<void> {
    await this.open(`/lanes/${lane}`);
    await this.box.waitFor();
  }

  /** Where a message is written. */
  get box(): Locator {
    return this.page.locator("[data-composer]");
  }

  get conversation(): Locator {
    return this.page.getByRole("log");
  }

  async send(text: string): Promise<void> {
    await this.box.fill(text);
    await this.page.getByRole("button", { name: "Send", exact: true }).click();
  }

  /** The message with this text, including its sign and its notice. */
  message(text: string): Locator {
    return this.page.getByRole("article", { name: /^Message from / }).filter({ hasText: text });
  }

  /** Waits until a message has this sign. */
  sign(text: string, kind: string): Locator {
    return this.message(text).locator(`[data-sign=${kind}]`);
  }

  /** The dot next to a sign while an answer is pending. */
  awaited(text: string): Locator {
    return this.message(text).locator("[data-awaited]");
  }

  get turns(): Locator {
    return this.page.getByRole("article", { name: /^Turn / });
  }

  get lastTurn(): Locator {
    return this.turns.last();
  }
}
