/** Which server to talk to: one that runs already, or one of our own, and where. Deciding is pure, but for the ports. */
import { createServer } from "node:net";
import { AppError, messageOf } from "../../../app-error.ts";
import { isLoopback } from "../../../loopback.ts";
import { tooOld } from "./find-opencode.ts";
import type { Probe } from "./probe.ts";
import { isTooOld } from "./version.ts";

/** What the configuration says. */
export type ServerSettings = {
  opencodeBin: string;
  opencodeAttachUrl: string;
  opencodeAutoStart: boolean;
  opencodeServeHost: string;
  opencodeServePort: number;
};

/** The values that nobody chose: whoever has these places may keep them, and our server goes elsewhere. */
export const defaultAttachUrl = "http://127.0.0.1:4096";
export const defaultServePort = 4096;

export type Choice = { do: "attach"; version: string } | { do: "start" };

/** What follows from who answers at `opencodeAttachUrl`. Throws an `AppError` where only a person can go on. */
export function chooseServer(answer: Probe, settings: ServerSettings, hasPassword: boolean): Choice {
  const { opencodeAttachUrl: url, opencodeAutoStart } = settings;
  const isMeant = url.replace(/\/$/, "") !== defaultAttachUrl || !opencodeAutoStart;
  switch (answer.is) {
    case "healthy":
      if (isTooOld(answer.version)) throw tooOld(`The server at ${url} is`, answer.version);
      return { do: "attach", version: answer.version };
    case "refused":
      if (isMeant || hasPassword) throw passwordRefused(url, hasPassword);
      return { do: "start" };
    case "foreign":
      if (isMeant)
        throw portTaken(
          url,
          `answers that is no OpenCode server (${answer.why})`,
          "opencodeAttachUrl (OPENCODE_ATTACH_URL)",
        );
      return { do: "start" };
    case "silent":
    case "nobody":
      if (!opencodeAutoStart) throw notThere(url, answer.is);
      return { do: "start" };
  }
}

/** A server that other machines can reach needs a password that a person chose: they have to know it, too. */
export function refuseOpenHost(host: string, hasPassword: boolean): void {
  if (isLoopback(host) || hasPassword) return;
  throw new AppError({
    code: "opencode_host_not_loopback",
    message: `opencodeServeHost is ${host}, which other machines can failPoint, and OPENCODE_SERVER_PASSWORD is not set.`,
    hint: "Set opencodeServeHost (OPENCODE_SERVE_HOST) to 127.0.0.1, or choose a password and set OPENCODE_SERVER_PASSWORD.",
  });
}

/** The configured port, or any free one if that was only the default and is taken. */
export async function choosePort(host: string, port: number, isDefault = port === defaultServePort): Promise<number> {
  const wanted = await listenOnce(host, port);
  if (wanted !== null) return wanted;
  const free = isDefault ? await listenOnce(host, 0) : null;
  if (free !== null) return free;
  throw portTaken(`${host}:${port}`, "else listens", "opencodeServePort (OPENCODE_SERVE_PORT)");
}

/** Listens for a moment. Null when somebody else does. */
function listenOnce(host: string, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(hostUnusable(host, port, error));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}

/** How a server on `host` is reached from this machine. */
export function localUrl(host: string, port: number): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function passwordRefused(url: string, hasPassword: boolean): AppError {
  return new AppError({
    code: "opencode_password_refused",
    message: hasPassword
      ? `The server at ${url} refuses the password in OPENCODE_SERVER_PASSWORD.`
      : `The server at ${url} wants a password, and OPENCODE_SERVER_PASSWORD is not set.`,
    hint: "Set OPENCODE_SERVER_PASSWORD (and OPENCODE_SERVER_USERNAME, unless it is opencode) to what that server was started with.",
  });
}

function portTaken(place: string, what: string, setting: string): AppError {
  return new AppError({
    code: "opencode_port_taken",
    message: `At ${place} something ${what}.`,
    hint: `End it, or choose another place with ${setting}.`,
    retryable: true,
  });
}

function notThere(url: string, how: "silent" | "nobody"): AppError {
  return new AppError({
    code: "opencode_unreachable",
    message: how === "nobody" ? `No server listens at ${url}.` : `The server at ${url} does not answer.`,
    hint: "Start it (`opencode serve`), correct opencodeAttachUrl (OPENCODE_ATTACH_URL), or set opencodeAutoStart to true.",
    retryable: true,
  });
}

function hostUnusable(host: string, port: number, error: Error): AppError {
  return new AppError({
    code: "opencode_host_unusable",
    message: `Nothing can listen on ${host}:${port}: ${messageOf(error)}.`,
    hint: "Correct opencodeServeHost (OPENCODE_SERVE_HOST) and opencodeServePort (OPENCODE_SERVE_PORT).",
    cause: error,
  });
}
