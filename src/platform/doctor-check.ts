/** One line of `waybill doctor`. */
import type { AppError } from "./app-error.ts";

export const checkStatuses = ["ok", "warning", "failed"] as const;

export type Check = {
  name: string;
  status: (typeof checkStatuses)[number];
  detail: string;
  fix?: string | undefined;
};

export type DoctorReport = { checks: Check[] };

export const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail });
export const warning = (name: string, detail: string, fix: string): Check => ({ name, status: "warning", detail, fix });
export const failed = (name: string, detail: string, fix: string): Check => ({ name, status: "failed", detail, fix });
export const failedBy = (name: string, { message, hint }: AppError): Check =>
  failed(name, message, hint ?? "Correct it.");
