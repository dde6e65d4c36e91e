-- Why: questions are sent on the topic of each member of the product, because one notifications stream covers all
-- products of its user. Called by the emit triggers of questions and members.
create function private.emit_to_members(p_product_id uuid, p_payload jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit('user:' || m.user_id, p_payload)
  from public.product_members as m
  where m.product_id = p_product_id;
end;
$$;

comment on function private.emit_to_members is
  'Announces a change to every member of a product on their own topic (specification: Notifications stream).';
