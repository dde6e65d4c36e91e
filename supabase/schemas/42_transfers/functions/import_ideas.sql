-- Why: the last step of an import: the ideas with their logs and links, then archiving the product, after which it is
-- read-only (docs/export-format.md). A code that the user's other ideas already use is replaced by a generated one.
-- Service only.
create function operations.import_ideas(p_product_id uuid, p_owner_id uuid, p_ideas jsonb, p_archived_at timestamptz)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ideas jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.idea || jsonb_build_object(
    'id', gen_random_uuid(),
    'user_id', coalesce(u.id, p_owner_id),
    'code', case
      when exists (
        select from public.ideas i where i.user_id = coalesce(u.id, p_owner_id) and i.code = e.idea ->> 'code'
      ) then null
      else e.idea ->> 'code' end,
    'pbi_id', (select b.id from public.pbis b where b.product_id = p_product_id and b.code = e.idea ->> 'pbi')
  ) order by e.place)
  into v_ideas
  from jsonb_array_elements(p_ideas) with ordinality e (idea, place)
  left join public.users u on lower(u.username) = lower(e.idea ->> 'username');

  insert into public.ideas (id, user_id, product_id, code, title, description, status, archived_at, pbi_id, created_at)
  select (e.idea ->> 'id')::uuid, (e.idea ->> 'user_id')::uuid, p_product_id, e.idea ->> 'code', e.idea ->> 'title',
    e.idea ->> 'description', (e.idea ->> 'status')::public.idea_status, (e.idea ->> 'archived_at')::timestamptz,
    (e.idea ->> 'pbi_id')::uuid, coalesce((e.idea ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
  order by (e.idea ->> 'code') is null, e.place;

  update public.pbis b
  set idea_id = i.id
  from public.ideas i
  where i.product_id = p_product_id and i.pbi_id = b.id;

  insert into public.idea_products (idea_id, product_id)
  select (e.idea ->> 'id')::uuid, p.id
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements_text(e.idea -> 'linked_products') l (code)
  join public.products p on p.owner_id = p_owner_id and p.code = l.code and p.id <> p_product_id;

  -- What the triggers wrote about the import itself gives way to the log of the file.
  delete from public.idea_logs l
  using jsonb_array_elements(v_ideas) e (idea)
  where l.idea_id = (e.idea ->> 'id')::uuid and jsonb_array_length(e.idea -> 'log') > 0;

  insert into public.idea_logs (idea_id, user_id, kind, content, created_at)
  select (e.idea ->> 'id')::uuid, u.id, l ->> 'kind', l ->> 'content',
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements(e.idea -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  update public.products p set archived_at = p_archived_at where p.id = p_product_id and p_archived_at is not null;

  return json_build_object('idea_codes', (
    select coalesce(json_agg(i.code order by e.place), '[]')
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
    join public.ideas i on i.id = (e.idea ->> 'id')::uuid));
end;
$$;

comment on function operations.import_ideas is
  'Ideas of an import, and the archiving of its product (docs/export-format.md). Service only.';
grant execute on function operations.import_ideas to service_role;
