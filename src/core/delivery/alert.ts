/** Something has waited too long for a person, or agents are stuck in a loop. Raised once. */

export const alertKinds = ["ask", "failure", "late", "loop", "held"] as const;
export type AlertKind = (typeof alertKinds)[number];

export type Alert = {
  /** Derived from its subject, so that no alert is raised twice. */
  id: string;
  kind: AlertKind;
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  askId: string | null;
  /** The person concerned: the recipient of the answer. */
  person: string | null;
  reason: string;
  since: number;
  raisedAt: number;
};
