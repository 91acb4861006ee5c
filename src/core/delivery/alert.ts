/** Something that waits for a person: for longer than it should, or because agents go round in circles. Raised once. */

export const alertKinds = ["ask", "failure", "late", "loop", "held"] as const;
export type AlertKind = (typeof alertKinds)[number];

export type Alert = {
  /** Derived from what it is about, so that none is raised twice. */
  id: string;
  kind: AlertKind;
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  askId: string | null;
  /** Who is concerned: whoever gets the answer. */
  person: string | null;
  reason: string;
  since: number;
  raisedAt: number;
};
