-- Why: a third role in a product, for people who look and do not change. On its own, because a new value cannot be used in the transaction that adds it.
ALTER TYPE "public"."member_role" ADD VALUE 'VIEWER' AFTER 'MEMBER';

COMMENT ON TYPE "public"."member_role" IS 'Role in a product: its one owner, a member, or a viewer, who reads (specification: Authentication 4).';
