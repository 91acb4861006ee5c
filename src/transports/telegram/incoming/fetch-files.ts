/** Downloads a message's files from Telegram and stores them as attachments. */
import type { Attachment } from "../../../core/message/message.ts";
import { AppError } from "../../../platform/app-error.ts";
import { abortedAfter } from "../../../platform/clock.ts";
import { classifyError, grammySignal } from "../bot-api.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { IncomingFile } from "../updates/read-update.ts";

/** The most that a bot can download from Telegram's own server. */
const maxBytes = 20 * 1024 * 1024;
const fetchMs = 60_000;

type FileContext = Pick<TelegramContext, "api" | "service" | "settings">;

export async function fetchFiles(
  files: readonly IncomingFile[],
  context: FileContext,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const stored: Attachment[] = [];
  for (const file of files) stored.push(await fetchFile(file, context, signal));
  return stored;
}

async function fetchFile(file: IncomingFile, context: FileContext, closing: AbortSignal): Promise<Attachment> {
  const { service, settings } = context;
  if (file.size !== null && file.size > maxBytes) throw tooLarge(file);
  const signal = abortedAfter(fetchMs, closing);
  const path = await pathOf(file, context, signal);
  // The URL contains the token, so it must not appear in an error.
  const response = await fetch(`${settings.apiRoot}/file/bot${settings.token}/${path}`, { signal }).catch(() => null);
  if (!response?.ok || !response.body) throw notFetched(file);
  const { name, mimeType } = file;
  return service.storeAttachment({ name, mimeType, stream: response.body });
}

async function pathOf(file: IncomingFile, { api }: FileContext, signal: AbortSignal): Promise<string> {
  try {
    const { file_path: path } = await api.getFile(file.fileId, grammySignal(signal));
    if (path !== undefined) return path;
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "refused_content") throw notThere(file, problem.reason);
  }
  throw notFetched(file);
}

/** The update is retried a few times. */
function notFetched({ name }: IncomingFile): Error {
  return new Error(`The file "${name}" could not be fetched from Telegram.`);
}

function notThere({ name }: IncomingFile, reason: string): AppError {
  const hint = "Send it again.";
  return new AppError({
    code: "file_gone",
    message: `Telegram does not provide the file "${name}" (${reason}).`,
    hint,
  });
}

function tooLarge({ name }: IncomingFile): AppError {
  const message = `The file "${name}" is larger than 20 MB, the most that a bot can download.`;
  return new AppError({ code: "file_too_large", message, hint: "Put it in the workspace and send its path." });
}
