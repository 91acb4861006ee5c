/** Checks whether an OpenCode server answers at an address. Never throws, and always has a deadline. */
import { z } from "zod";
import { messageOf } from "../../../platform/app-error.ts";
import { jsonIn } from "../../json-fields.ts";

export type Probe =
  | { is: "healthy"; version: string }
  /** The server requires another password. */
  | { is: "refused" }
  /** Another program answers. */
  | { is: "foreign"; why: string }
  /** No answer in time. A server that is still starting may accept a request and never answer it. */
  | { is: "silent" }
  /** Nothing listens there, or there is no route. */
  | { is: "unreachable"; why: string };

export type ProbeOptions = { authorization: string | null; deadlineMs: number; signal?: AbortSignal };

const health = z.looseObject({ healthy: z.literal(true), version: z.string() });

export async function probe(url: string, { authorization, deadlineMs, signal }: ProbeOptions): Promise<Probe> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    const answer = await fetch(`${url.replace(/\/+$/, "")}/global/health`, {
      headers: authorization === null ? {} : { authorization },
      // The password is for this server, not for one that it redirects to.
      redirect: "manual",
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    if (answer.status === 401 || answer.status === 403) {
      await answer.body?.cancel();
      return { is: "refused" };
    }
    const found = health.safeParse(jsonIn((await answer.text()).slice(0, 4096))).data;
    if (answer.ok && found) return { is: "healthy", version: found.version };
    return { is: "foreign", why: `status ${answer.status}, no OpenCode health report` };
  } catch (error) {
    return probeOf(error, deadline.aborted || signal?.aborted === true);
  }
}

/** Node's fetch nests the reason one level deep, or two if a name has several addresses. */
function probeOf(error: unknown, timedOut: boolean): Probe {
  if (timedOut) return { is: "silent" };
  const cause = (error as { cause?: { code?: string; errors?: { code?: string }[] } }).cause;
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? "";
  const absent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"];
  if (absent.includes(code)) return { is: "unreachable", why: code };
  // The server ended during the request, or just before it, when the connection to it was still open here.
  if (["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(code)) return { is: "silent" };
  return { is: "foreign", why: code === "" ? messageOf(error) : code };
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
