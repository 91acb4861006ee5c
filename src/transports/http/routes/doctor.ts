/** The checks of `waybill doctor`. */
import { doctorSchema } from "../doctor-schema.ts";
import type { App } from "../env.ts";
import { answerOf, guardedRoute, readErrors } from "../route-descriptions.ts";
import type { RouteDeps } from "./route-deps.ts";

export const doctorRoutes = {
  doctor: guardedRoute("program", {
    method: "get",
    path: "/v1/doctor",
    operationId: "doctor",
    summary: "Check that Waybill has everything it needs, with a fix for each problem",
    description:
      "The report of `waybill doctor --json`. It takes up to about 20 seconds; concurrent requests share one report.",
    responses: { 200: answerOf(doctorSchema, "The checks and their results."), ...readErrors() },
  }),
};

export function addDoctor(app: App, { doctor }: RouteDeps): void {
  app.openapi(doctorRoutes.doctor, async (c) => c.json(doctorSchema.parse(await doctor()), 200));
}
