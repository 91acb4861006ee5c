/**
 * Removes a session whose first prompt was refused. Its client created it only for that prompt, so it would never be
 * used.
 */
import { AppError } from "../../../../platform/app-error.ts";
import { statusOf } from "../../../http/errors.ts";
import { laneOf } from "../../ids.ts";
import { isClientsLane } from "../new-session.ts";
import type { SessionDeps } from "../session-deps.ts";

/** Returns the error for the client. Keeps the session if the same prompt may succeed later. */
export async function afterRefusal(error: unknown, sessionID: string, deps: SessionDeps): Promise<unknown> {
  if (!(error instanceof AppError) || error.retryable || !isClientsFault(error)) return error;
  const found = laneOf(sessionID);
  if (!found || found.child || !isClientsLane(found.lane) || !(await removeUnused(found.lane, deps))) return error;
  const { code, message, hint } = error;
  const removed = "The session was new and empty, and has been removed: start another one.";
  return new AppError({ code, message, hint: hint === undefined ? removed : `${hint} ${removed}`, cause: error });
}

function isClientsFault(error: AppError): boolean {
  const status = statusOf(error);
  return status < 500 || status === 501;
}

async function removeUnused(laneId: string, { service, unattended }: SessionDeps): Promise<boolean> {
  const state = (await service.lanes()).find(({ lane }) => lane.id === laneId);
  const { items } = await service.deliveries({ limit: 1, lane: laneId }).catch(() => ({ items: [] }));
  if (state === undefined || items.length > 0) return false;
  // A person who paused the lane knows about it.
  if (state.lane.sessionId !== null || state.lane.pausedReason !== null) return false;
  try {
    await service.removeLane(laneId, false);
  } catch (error) {
    // Another prompt has been admitted, or someone else removed it.
    if (error instanceof AppError) return false;
    throw error;
  }
  unattended.delete(laneId);
  return true;
}
