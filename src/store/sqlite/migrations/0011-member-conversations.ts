/** The conversation with a member that Waybill does not run: messages to it, and those known to be from it. */
const sql = `
ALTER TABLE message ADD COLUMN member TEXT;
UPDATE message SET member = substr(recipient, 8) WHERE recipient >= 'member:' AND recipient < 'member;';
UPDATE message SET member = substr(sender, 8) WHERE member IS NULL AND sender >= 'member:' AND sender < 'member;';
CREATE INDEX message_of_member ON message (member, seq) WHERE member IS NOT NULL;
`;

export const memberConversations = { sql };
