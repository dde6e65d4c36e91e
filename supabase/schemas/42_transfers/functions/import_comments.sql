-- Why: imports the comments of a portion of PBIs, stories or tasks that have their new ids. Authors are kept as names:
-- an account of that name here may be somebody else's. Old mentions send no notices.
create function private.import_comments(p_product_id uuid, p_kind text, p_items jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.comments (product_id, pbi_id, story_id, task_id, body, author, created_at, edited_at)
  select p_product_id, case p_kind when 'pbi' then i.id end, case p_kind when 'story' then i.id end, case p_kind when 'task' then i.id end,
    c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now()), (c ->> 'edited_at')::timestamptz
  from (
    select (e.item ->> 'id')::uuid as id, e.item -> 'comments' as comments, e.place
    from jsonb_array_elements(p_items) with ordinality e (item, place)
  ) i
  cross join lateral jsonb_array_elements(coalesce(i.comments, '[]')) with ordinality l (c, place)
  order by i.place, l.place;
end;
$$;

comment on function private.import_comments is 'Comments of an import (docs/export-format.md).';

grant execute on function private.import_comments to service_role;
