create trigger _140_take_rate_limit before insert on public.products
  for each row execute function private.tg_any__take_rate_limit('product');

create trigger _940_limit_rows after insert on public.products
  referencing new table as added
  for each statement when (auth.uid() is not null) execute function private.tg_any__limit_rows('owner_id', '200', 'products that you own, which is the limit. Delete some that are not needed.');

-- An archived product is read-only until it is restored (specification: GET /api/products).
create function private.tg_products__guard_archived() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.refuse(403, 'This product is archived and can only be read. Restore it to make changes.');
end;
$$;
create trigger _340_guard_archived before update on public.products
  for each row when (old.archived_at is not null and new.archived_at is not null and auth.uid() is not null)
  execute function private.tg_products__guard_archived();

-- Unique per owner; refuses with a message before the constraint. Definer: all of the owner (specification: Product).
create function private.tg_products__guard_code()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from public.products p where p.owner_id = new.owner_id and p.code = new.code and p.id <> new.id
  ) then
    perform private.refuse(422, format('You already have a product with the code %s. Choose another code.', new.code),
      '{"issues":[{"path":"code","message":"This code is already in use."}]}');
  end if;
  return new;
end;
$$;
create trigger _345_guard_code before insert on public.products
  for each row execute function private.tg_products__guard_code();
create trigger _346_guard_code before update on public.products
  for each row when (new.code <> old.code) execute function private.tg_products__guard_code();

-- auto_pr says whether workers open pull requests, pull_requests how. Writing one sets the other (docs/forges.md).
create function private.tg_products__join_auto_pr() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.pull_requests <> 'none' and (tg_op = 'INSERT' or new.pull_requests is distinct from old.pull_requests) then
    new.auto_pr := true;
  elsif tg_op = 'UPDATE' and new.pull_requests is distinct from old.pull_requests then
    new.auto_pr := false;
  elsif new.auto_pr is distinct from (new.pull_requests <> 'none') then
    new.pull_requests := case when new.auto_pr then 'open' else 'none' end;
  end if;
  return new;
end;
$$;
create trigger _350_join_auto_pr before insert or update of auto_pr, pull_requests on public.products
  for each row execute function private.tg_products__join_auto_pr();
create trigger _400_touch before update on public.products
  for each row execute function private.tg_any__touch();

-- No one's active product is archived. Definer: it writes profiles of members (specification: Other records, User).
create function private.tg_products__clear_active()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.users u set active_product_id = null where u.active_product_id = new.id;
  return null;
end;
$$;
create trigger _520_clear_active after update on public.products
  for each row when (new.archived_at is not null and old.archived_at is null)
  execute function private.tg_products__clear_active();

-- The owner's row, so that access is one look-up. Definer: users add members only (specification: Authentication 4).
create function private.tg_products__add_owner()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.product_members (product_id, user_id, role, workers_allowed)
  values (new.id, new.owner_id, 'OWNER', true)
  on conflict (product_id, user_id) do update set role = 'OWNER', workers_allowed = true;
  return null;
end;
$$;
create trigger _530_add_owner after insert on public.products
  for each row execute function private.tg_products__add_owner();

-- Open streams end when their product is archived or deleted, and pages follow its fields.
-- Definer: every write sends its event, but no client may call private.emit (specification: Authentication 4).
create function private.tg_products__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'product', to_jsonb(old), to_jsonb(new));
  v_row public.products := coalesce(new, old);
begin
  v_event := v_event || jsonb_build_object('product_id', v_row.id, 'archived', v_row.archived_at is not null);
  perform private.emit('product:' || v_row.id, v_event);
  if v_event -> 'changed_fields' ? 'archived_at' then
    perform private.emit_to_members(v_row.id, v_event);
  end if;
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.products
for each row execute function private.tg_products__emit();

-- What a worker says about the Git host (pull requests, CI, merges, landings, issues) ends work, frees what waits for
-- it, reaches prompts, and is acted on with the logins of other workers. So each operation that takes such a word, or
-- gives a worker something to do there, asks here: only workers allowed in the product, and only addresses in its
-- repository. What was said is audited once an hour, and no one fills the disk with it (docs/forges.md).
create function private.hear_worker(p_product_id uuid, p_said jsonb default null, p_addresses text[] default '{}')
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_foreign text;
  v_detail jsonb := jsonb_build_object('product_id', p_product_id, 'said', p_said,
    'code', (select p.code from public.products p where p.id = p_product_id));
begin
  if private.decision_for('consent', p_product_id) is null then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what happens in its repository and land its branches. Allow yours on the members page, or ask the owner.');
  end if;
  select a into v_foreign from unnest(p_addresses) a where not private.is_own_address(p_product_id, a) limit 1;
  if v_foreign is not null then
    perform private.refuse(403, format('%s is not in the repository of this product. If it should be, set the repository in the product''s settings to its address at the Git host.', left(v_foreign, 300)));
  end if;
  if p_said is not null and not exists (
    select from public.audit_events e
    where e.user_id = auth.uid() and e.kind = 'worker.word' and e.created_at > private.now() - interval '1 hour' and e.detail = v_detail)
  then
    perform private.take_rate_limit('worker_word', auth.uid()::text);
    perform private.audit(auth.uid(), auth.uid(), 'worker.word', v_detail);
  end if;
end;
$$;
