-- Why: the idea's log records when a further product is linked or unlinked. Definer: users may not write the log. A
-- link deleted with its idea or product is not logged.
create function private.tg_idea_products__log()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.idea_products := case when tg_op = 'DELETE' then old else new end;
begin
  insert into public.idea_logs (idea_id, user_id, kind, content)
  select i.id, auth.uid(), case when tg_op = 'DELETE' then 'UNLINKED' else 'LINKED' end, p.code
  from public.ideas i, public.products p
  where i.id = v_row.idea_id and p.id = v_row.product_id;
  return null;
end;
$$;

comment on function private.tg_idea_products__log is 'Logs links of an idea (specification: Idea).';

create trigger _565_log after insert or delete on public.idea_products
  for each row execute function private.tg_idea_products__log();
