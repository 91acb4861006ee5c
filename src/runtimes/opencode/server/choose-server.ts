/** Decides whether to use an existing server or our own, and on which port. Pure except for testing ports. */
import { createServer } from "node:net";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import { isLoopback } from "../../../platform/loopback.ts";
import { defaultAttachUrl, defaultServePort } from "./default-address.ts";
import { isTooOld, tooOld } from "./find-opencode.ts";
import type { Probe } from "./probe-server.ts";

export type ServerSettings = {
  opencodeBin: string;
  opencodeAttachUrl: string;
  opencodeAutoStart: boolean;
  opencodeServeHost: string;
  opencodeServePort: number;
};

export type ServerDecision = { do: "attach"; version: string } | { do: "start" };

/** Decides by the answer at `opencodeAttachUrl`. Throws an `AppError` if a person has to act. */
export function chooseServer(answer: Probe, settings: ServerSettings, hasPassword: boolean): ServerDecision {
  const { opencodeAttachUrl: url, opencodeAutoStart } = settings;
  const isRequired = url.replace(/\/$/, "") !== defaultAttachUrl || !opencodeAutoStart;
  switch (answer.is) {
    case "healthy":
      if (isTooOld(answer.version)) throw tooOld(`The server at ${url} is`, answer.version);
      return { do: "attach", version: answer.version };
    case "refused":
      if (isRequired || hasPassword) throw passwordRefused(url, hasPassword);
      return { do: "start" };
    case "foreign":
      if (!isRequired) return { do: "start" };
      throw portTaken(
        url,
        `A program that is not an OpenCode server (${answer.why}) answers`,
        "opencodeAttachUrl (OPENCODE_ATTACH_URL)",
      );
    case "silent":
    case "unreachable":
      if (opencodeAutoStart) return { do: "start" };
      throw new AppError({
        code: "opencode_unreachable",
        message: answer.is === "unreachable" ? `No server listens at ${url}.` : `The server at ${url} does not answer.`,
        hint: "Start it (`opencode serve`), correct opencodeAttachUrl (OPENCODE_ATTACH_URL), or set opencodeAutoStart to true.",
        retryable: true,
      });
  }
}

/** People on other machines need the password of a server that they can reach, so a person has to choose it. */
export function refuseOpenHost(host: string, hasPassword: boolean): void {
  if (isLoopback(host) || hasPassword) return;
  throw new AppError({
    code: "opencode_host_not_loopback",
    message: `opencodeServeHost is ${host}, which other machines can reach, and OPENCODE_SERVER_PASSWORD is not set.`,
    hint: "Set opencodeServeHost (OPENCODE_SERVE_HOST) to 127.0.0.1, or choose a password and set OPENCODE_SERVER_PASSWORD.",
  });
}

/** The configured port, or any free one if the default port is taken. */
export async function choosePort(host: string, port: number, isDefault = port === defaultServePort): Promise<number> {
  const free = (await freePort(host, port)) ?? (isDefault ? await freePort(host, 0) : null);
  if (free !== null) return free;
  throw portTaken(`${host}:${port}`, "Another program listens", "opencodeServePort (OPENCODE_SERVE_PORT)");
}

/** Listens briefly to test the port. Null if it is taken. */
function freePort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "EADDRINUSE") return resolve(null);
      const message = `Cannot listen on ${host}:${port}: ${messageOf(cause)}.`;
      const hint = "Correct opencodeServeHost (OPENCODE_SERVE_HOST) and opencodeServePort (OPENCODE_SERVE_PORT).";
      reject(new AppError({ code: "opencode_host_unusable", message, hint, cause }));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}

/** The URL by which this machine reaches a server on `host`. */
export function localUrl(host: string, port: number): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function passwordRefused(url: string, hasPassword: boolean): AppError {
  return new AppError({
    code: "opencode_password_refused",
    message: hasPassword
      ? `The server at ${url} refuses the password in OPENCODE_SERVER_PASSWORD.`
      : `The server at ${url} requires a password, and OPENCODE_SERVER_PASSWORD is not set.`,
    hint: "Set OPENCODE_SERVER_PASSWORD (and OPENCODE_SERVER_USERNAME, unless it is opencode) to that server's values.",
  });
}

function portTaken(address: string, what: string, setting: string): AppError {
  return new AppError({
    code: "opencode_port_taken",
    message: `${what} at ${address}.`,
    hint: `End it, or choose another address with ${setting}.`,
    retryable: true,
  });
}
