-- Archived products are read-only, and no one keeps one as active product (specification: GET /api/products).
create function operations.archive_product(p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = private.now() where p.id = p_product_id and p.archived_at is null;
  return operations.get_product(p_product_id);
end;
$$;
grant execute on function operations.archive_product to authenticated;

-- The caller becomes the owner.
create function operations.create_product(
  p_code text, p_name text, p_description text default '', p_repo_url text default '',
  p_definition_of_done text default '', p_auto_pr boolean default false, p_pr_strategy text default 'SPRINT',
  p_done_requires text default 'none', p_dependency_release text default 'done',
  p_requires_sandbox boolean default false, p_may_reach jsonb default '[]', p_plan_first text default 'ask',
  p_pull_requests text default 'none', p_agent_items text default 'backlog', p_landing text default 'manual',
  p_branch_prefix text default 'backloom', p_agent text default null, p_model text default null, p_effort text default null,
  p_fallback jsonb default '[]', p_fallback_after integer default 15,
  p_on_failure text default 'stop', p_plan_review text default 'none',
  p_change_index boolean default true, p_avoid_overlap boolean default false, p_references jsonb default '[]'
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  -- It could not reach the product it creates, and no one has agreed to a new one.
  if coalesce(current_setting('backloom.token_products', true), '') <> '' then
    perform private.refuse(403, 'This token is limited to some products and cannot create another. Create the product in the browser, then use a token that includes it.');
  end if;
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, plan_review, pull_requests, agent_items, landing, branch_prefix, agent, model, effort,
    fallback, fallback_after, on_failure, change_index, avoid_overlap, "references")
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_plan_review, 'none')::public.plan_review,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'), p_agent, p_model, p_effort, coalesce(p_fallback, '[]'), coalesce(p_fallback_after, 15),
    coalesce(p_on_failure, 'stop')::public.on_failure,
    coalesce(p_change_index, true), coalesce(p_avoid_overlap, false), coalesce(p_references, '[]'));
  return operations.get_product(v_id);
end;
$$;
grant execute on function operations.create_product to authenticated;

-- Removes a product with everything in it. The caller repeats its code, to prevent accidents (specification: Product).
create function operations.delete_product(p_product_id uuid, p_code text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  if not exists (select from public.products p where p.id = p_product_id and p.code = p_code) then
    perform private.refuse(422, 'Repeat the code of the product to delete it.',
      '{"issues":[{"path":"code","message":"This is not the code of the product."}]}');
  end if;

  delete from public.products p where p.id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;
grant execute on function operations.delete_product to authenticated;

-- An archived product can be changed again (specification: GET /api/products).
create function operations.restore_product(p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = null where p.id = p_product_id and p.archived_at is not null;
  return operations.get_product(p_product_id);
end;
$$;
grant execute on function operations.restore_product to authenticated;

-- `p_changes` holds the fields to change. Owner only (specification: Product).
create function operations.update_product(p_product_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  if p_changes ?| '{done_requires,plan_review,agent_items,on_failure,requires_sandbox,may_reach,references}' then
    perform private.require_session('Only the owner, signed in, changes what a person decides and what agents may reach and read: a token cannot.');
  end if;
  perform private.require_version('product', p_product_id, p_changes);

  perform private.set_fields('public.products', p_product_id, p_changes - '{landing_since,archived_at}'::text[]
    || coalesce((select jsonb_build_object('landing_since', private.now()) from public.products p
      where p.id = p_product_id and p.landing = 'manual' and p_changes ->> 'landing' = 'queue'), '{}'));
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
end;
$$;
grant execute on function operations.update_product to authenticated;
