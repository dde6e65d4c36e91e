-- Why: the one rule for who may comment: everybody who can read, including viewers. The first line of every write to a
-- comment: 404, 403, then a share of the product's lock, as nothing else changes with a comment. Definer, for the same
-- reason as require_write. Returns the product.
create function private.require_commenter(p_kind text, p_id uuid)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.share_product(v_product_id);
  perform private.require_product_write(v_product_id, true);
  return v_product_id;
end;
$$;

comment on function private.require_commenter is 'The product of an item on which the caller may comment; PT404, PT403.';
