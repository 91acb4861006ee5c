/** Asks whoever listens at an address whether it is an OpenCode server. Never throws, never waits without end. */
import { z } from "zod";
import { messageOf } from "../../../app-error.ts";

export type Probe =
  | { is: "healthy"; version: string }
  /** Something that wants a password, and not the one that it was given. */
  | { is: "refused" }
  /** Something answers, and it is no OpenCode. */
  | { is: "foreign"; why: string }
  /** Somebody may be there, and did not answer in time. A server that is starting can take a request and forget it. */
  | { is: "silent" }
  /** Nobody listens there, or the way there does not exist. */
  | { is: "nobody"; why: string };

export type ProbeOptions = { authorization: string | null; deadlineMs: number; signal?: AbortSignal };

const health = z.looseObject({ healthy: z.literal(true), version: z.string() });

export async function probe(url: string, { authorization, deadlineMs, signal }: ProbeOptions): Promise<Probe> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    const answer = await fetch(`${url.replace(/\/+$/, "")}/global/health`, {
      headers: authorization === null ? {} : { authorization },
      // A password is for the server that was named, not for where it may send us.
      redirect: "manual",
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    if (answer.status === 401 || answer.status === 403) {
      await answer.body?.cancel();
      return { is: "refused" };
    }
    const said = health.safeParse(parsed((await answer.text()).slice(0, 4096))).data;
    if (answer.ok && said) return { is: "healthy", version: said.version };
    return { is: "foreign", why: `status ${answer.status}, and no word of OpenCode` };
  } catch (error) {
    return whyNot(error, deadline.aborted || signal?.aborted === true);
  }
}

/** Node's fetch hides the reason one level down, or two where a name has several addresses. */
function whyNot(error: unknown, timedOut: boolean): Probe {
  if (timedOut) return { is: "silent" };
  const cause = (error as { cause?: { code?: string; errors?: { code?: string }[] } }).cause;
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? "";
  const absent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"];
  if (absent.includes(code)) return { is: "nobody", why: code };
  // A server that is ended while it is asked.
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return { is: "silent" };
  return { is: "foreign", why: code === "" ? messageOf(error) : code };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
