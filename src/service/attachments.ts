/** The part of the service that stores and returns files for messages. */
import { attachmentUnknown } from "../mail/attachments/attachment-files.ts";
import { refuseWhileDraining } from "./deliveries.ts";
import type { Engine } from "./engine.ts";
import type { Service } from "./service.ts";

type AttachmentService = Pick<Service, "storeAttachment" | "attachment">;

export function attachmentService(options: { engine: Engine; draining: AbortSignal }): AttachmentService {
  const { attachments } = options.engine;
  return {
    async storeAttachment(file) {
      refuseWhileDraining(options.draining);
      return attachments.store(file);
    },
    async attachment(id) {
      const found = await attachments.find(id);
      if (!found) throw attachmentUnknown(id);
      return found;
    },
  };
}
