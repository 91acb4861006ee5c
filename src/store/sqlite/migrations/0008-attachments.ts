/** Which messages name which attachments, so that a file that no message names can be found without reading messages. */
const sql = `
CREATE TABLE message_attachment (
  attachment_id TEXT NOT NULL,
  message_seq   INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
  PRIMARY KEY (attachment_id, message_seq)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO message_attachment (attachment_id, message_seq)
SELECT file.value ->> '$.id', message.seq FROM message, json_each(message.body, '$.attachments') AS file;
`;

export const attachments = { sql };
