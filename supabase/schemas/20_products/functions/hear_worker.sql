-- Why: what a worker says about the code host (pull requests, CI, merges, landings, issues) ends work, frees what waits for
-- it, reaches prompts, and is acted on with the logins of other workers. So each operation that takes such a word, or
-- gives a worker something to do there, asks here: only workers allowed in the product, and only addresses of its own
-- repository. What was said is audited once an hour.
create function private.hear_worker(p_product_id uuid, p_said jsonb default null, p_addresses text[] default '{}')
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_foreign text;
  v_detail jsonb := jsonb_build_object('product_id', p_product_id, 'said', p_said,
    'code', (select p.code from public.products p where p.id = p_product_id));
begin
  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what happens in its repository and land its branches. Allow yours on the members page, or ask the owner.');
  end if;
  select a into v_foreign from unnest(p_addresses) a where not private.is_own_address(p_product_id, a) limit 1;
  if v_foreign is not null then
    perform private.refuse(403, format('%s is not in the repository of this product. If it should be, set the repository in the product''s settings to its address at the code host.', left(v_foreign, 300)));
  end if;
  if p_said is not null and not exists (
    select from public.audit_events e
    where e.user_id = auth.uid() and e.kind = 'worker.word' and e.created_at > private.now() - interval '1 hour' and e.detail = v_detail)
  then
    perform private.audit(auth.uid(), auth.uid(), 'worker.word', v_detail);
  end if;
end;
$$;

comment on function private.hear_worker is 'PT403 unless a worker''s word about the code host counts in a product (docs/forges.md).';
